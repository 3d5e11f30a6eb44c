package notifier

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// ValidLink reports whether a notice may have this link: a path on our own host, or
// https to one of the hosts.
func ValidLink(link string, hosts []string) bool {
	var bad InvalidError
	checkLink(link, hosts, &bad)
	return link != "" && len(bad.Fields) == 0
}

// checkLink allows a path on our own host, or https to one of the hosts. It parses the
// link as the most lenient browser would: such browsers treat a backslash as a slash and
// drop tabs and line breaks anywhere.
func checkLink(s string, hosts []string, bad *InvalidError) {
	if s == "" {
		return
	}
	before := len(bad.Fields)
	checkText("link", s, MaxLink, "", bad)
	if len(bad.Fields) > before {
		return
	}
	if strings.ContainsRune(s, '\\') || strings.ContainsFunc(s, unicode.IsSpace) {
		bad.Add("link", CodeBadLink, nil)
		return
	}
	u, err := url.Parse(s)
	switch {
	case err != nil, !cleanPath(u):
		bad.Add("link", CodeBadLink, nil)
	case strings.HasPrefix(s, "/"):
		if strings.HasPrefix(s, "//") || u.Scheme != "" || u.Host != "" {
			bad.Add("link", CodeBadLink, nil)
		}
	case u.Scheme != "https", u.Opaque != "", u.User != nil, u.Host == "":
		bad.Add("link", CodeBadLink, nil)
	case !allowedHost(u, hosts):
		bad.Add("link", CodeLinkHost, map[string]any{"Host": u.Host})
	}
}

// cleanPath reports whether the path stays the same when a proxy or browser decodes or
// resolves it. Examples that do not: `/%2fevil.example`, `/%5cevil.example`,
// `/..//evil.example`.
func cleanPath(u *url.URL) bool {
	if strings.HasPrefix(u.Path, "//") || strings.ContainsRune(u.Path, '\\') {
		return false
	}
	if _, found := badRune(u.Path, ""); found {
		return false
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

func allowedHost(u *url.URL, hosts []string) bool {
	host := strings.ToLower(u.Host)
	if u.Port() == "443" {
		host = strings.ToLower(u.Hostname())
	}
	return slices.ContainsFunc(hosts, func(h string) bool { return h != "" && strings.EqualFold(h, host) })
}
