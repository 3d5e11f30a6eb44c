package notifier

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// normalise gives equivalent extras the same form. It makes new parts where it changes something, as extras are
// shared.
func (x *Extras) normalise() {
	if a := x.Actor; a != nil {
		x.Actor = &RowActor{strings.Trim(a.ID, " "), strings.Trim(strings.ReplaceAll(a.Name, "\t", " "), " "), strings.Trim(a.Image, " "), a.Gone}
	}
	if i := x.Image; i != nil {
		x.Image = &Image{strings.Trim(i.URL, " "), strings.Trim(strings.ReplaceAll(i.Alt, "\t", " "), " ")}
	}
	x.Actions = slices.Clone(x.Actions)
	for i := range x.Actions {
		a := &x.Actions[i]
		a.Label, a.Link = strings.Trim(strings.ReplaceAll(a.Label, "\t", " "), " "), strings.Trim(a.Link, " ")
		if a.Style == "" {
			a.Style = StylePlain
		}
	}
	if len(x.Actions) == 0 {
		x.Actions = nil
	}
	if m := x.More; m != nil {
		x.More = &More{strings.Trim(strings.ReplaceAll(m.One, "\t", " "), " "), strings.Trim(strings.ReplaceAll(m.Other, "\t", " "), " ")}
	}
	if x.Ask != nil {
		x.Ask = x.Ask.normalise()
	}
	if x.Take != nil {
		x.Take = x.Take.normalise()
	}
	if len(x.Data) <= MaxData {
		x.Data = compact(x.Data)
	}
	if len(x.Data) == 0 {
		x.Data = nil
	}
}

// check checks the extras of a notice, or of an announcement, which has no actor.
func (x *Extras) check(l Limits, announces bool, bad *InvalidError) {
	switch a := x.Actor; {
	case a == nil:
	case announces:
		bad.Add("actor", CodeNoActor, nil)
	default:
		checkLine("actor.name", a.Name, MaxActorName, bad)
		checkBytes("actor.id", a.ID, MaxActorID, bad)
		if a.Image != "" {
			checkImage("actor.image", a.Image, l, bad)
		}
	}
	if i := x.Image; i != nil {
		checkImage("image.url", i.URL, l, bad)
		checkLine("image.alt", i.Alt, MaxImageAlt, bad)
	}
	if n := len(x.Actions); n > MaxActions {
		bad.Add("actions", CodeTooManyActions, map[string]any{"Max": MaxActions})
	} else {
		for i, a := range x.Actions {
			a.check("actions["+strconv.Itoa(i)+"]", l, bad)
		}
	}
	checkData(x.Data, bad)
	switch m := x.More; {
	case m == nil:
	case announces:
		bad.Add("more", CodeNoMore, nil)
	default:
		if m.One != "" {
			x.checkWords("more.one", m.One, bad)
		}
		x.checkWords("more.other", m.Other, bad)
	}
}

// checkWords checks a title for several actors.
func (x *Extras) checkWords(field, s string, bad *InvalidError) {
	before := len(bad.Fields)
	checkLine(field, s, MaxTitle, bad)
	rest := strings.NewReplacer("{actor}", "", "{others}", "").Replace(s)
	switch {
	case len(bad.Fields) > before:
	case strings.ContainsAny(rest, "{}"):
		bad.Add(field, CodeBadBraces, nil)
	case x.Actor == nil && strings.Contains(s, "{actor}"):
		bad.Add(field, CodeNeedsActor, nil)
	}
}

func (a Action) check(at string, l Limits, bad *InvalidError) {
	checkLine(at+".label", a.Label, MaxActionLabel, bad)
	if a.Link == "" {
		bad.Add(at+".link", CodeRequired, nil)
	}
	checkLink(at+".link", a.Link, l, bad)
	if a.Style != StylePlain && a.Style != StylePrimary {
		bad.Add(at+".style", CodeBadChoice, map[string]any{"Allowed": StylePrimary + ", " + StylePlain})
	}
}

// checkBytes checks a text whose length in bytes is limited.
func checkBytes(field, s string, limit int, bad *InvalidError) {
	if len(s) > limit {
		bad.Add(field, CodeTooLong, map[string]any{"Max": limit, "Count": len(s)})
		return
	}
	checkText(field, s, limit, "", bad)
}

// checkImage allows an https address on one of the hosts for pictures, or on a host below one.
func checkImage(field, s string, l Limits, bad *InvalidError) {
	before := len(bad.Fields)
	checkText(field, s, MaxLink, "", bad)
	if len(bad.Fields) > before {
		return
	}
	u, err := url.Parse(s)
	switch {
	case s == "":
		bad.Add(field, CodeRequired, nil)
	case err != nil, u.Scheme != "https", u.Host == "", u.User != nil, u.Opaque != "", strings.ContainsRune(s, '\\'), strings.ContainsFunc(s, unicode.IsSpace):
		bad.Add(field, CodeBadImage, nil)
	case !AllowedImage(s, l.ImageHosts):
		bad.Add(field, CodeImageHost, map[string]any{"Host": u.Host})
	}
}

// ValidImage reports whether a picture may have this address: https on one of the hosts for pictures, or on a host
// below one.
func ValidImage(address string, l Limits) bool {
	var bad InvalidError
	checkImage("image", address, l, &bad)
	return len(bad.Fields) == 0
}

// AllowedImage reports whether the https address of a picture is on one of the hosts, or on a host below one. The
// policy of the pages allows exactly these; see ImageSources.
func AllowedImage(address string, hosts []string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil {
		return false
	}
	name, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "443" {
		port = ""
	}
	return slices.ContainsFunc(hosts, func(h string) bool {
		host, hostPort, _ := strings.Cut(strings.ToLower(h), ":")
		return host != "" && port == hostPort && (name == host || !isAddress(host) && strings.HasSuffix(name, "."+host))
	})
}

// ImageSources returns the sources of a Content-Security-Policy for the pictures of these hosts.
func ImageSources(hosts []string) []string {
	sources := make([]string, 0, 2*len(hosts))
	for _, h := range hosts {
		sources = append(sources, "https://"+h)
		if !isAddress(h) {
			sources = append(sources, "https://*."+h)
		}
	}
	return sources
}

// isAddress reports whether a host is an IP address, which has no hosts below it.
func isAddress(host string) bool {
	name, _, _ := strings.Cut(host, ":")
	return strings.Trim(name, "0123456789.") == ""
}

func checkData(data json.RawMessage, bad *InvalidError) {
	switch {
	case len(data) == 0:
	case len(data) > MaxData:
		bad.Add("data", CodeTooLong, map[string]any{"Max": MaxData, "Count": len(data)})
	case data[0] != '{' || !utf8.Valid(data) || !json.Valid(data):
		bad.Add("data", CodeBadData, nil)
	case depth(data) > MaxDataDepth:
		bad.Add("data", CodeDeepData, map[string]any{"Max": MaxDataDepth})
	}
}

// depth returns how deep valid JSON is nested; an object of scalars has the depth 1.
func depth(data []byte) (deepest int) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // any number is valid, however large
	for level := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}
