package notifier_test

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// matches reports whether a source of a Content-Security-Policy matches an https address without a port, as browsers
// do it: `*.` stands for one or more names.
func matches(source, host string) bool {
	name := strings.TrimPrefix(source, "https://")
	if below, wild := strings.CutPrefix(name, "*."); wild {
		return strings.HasSuffix(host, "."+below)
	}
	return host == name
}

func TestExactlyThePicturesThatThePolicyAllowsAreAccepted(t *testing.T) {
	t.Parallel()
	hosts := []string{"cdn.example.com", "203.0.113.7"}
	for host, want := range map[string]bool{
		"cdn.example.com": true, "a.cdn.example.com": true, "a.b.cdn.example.com": true, "203.0.113.7": true,
		"xcdn.example.com": false, "example.com": false, "cdn.example.com.evil.example": false, "1.203.0.113.7": false, "cdn.example.com.": false,
	} {
		if got := notifier.AllowedImage("https://"+host+"/a.png", hosts); got != want {
			t.Errorf("%s is accepted: %v", host, got)
		}
		shown := false
		for _, source := range notifier.ImageSources(hosts) {
			shown = shown || matches(source, host)
		}
		if shown != want {
			t.Errorf("the policy allows %s: %v", host, shown)
		}
	}
	for _, address := range []string{
		"", "/a.png", "http://cdn.example.com/a.png", "//cdn.example.com/a.png", "https://cdn.example.com:8443/a.png", "https://u:p@cdn.example.com/", "data:image/png;base64,AA==", "https://",
	} {
		if notifier.AllowedImage(address, hosts) {
			t.Errorf("%q is accepted", address)
		}
	}
	if !notifier.AllowedImage("https://cdn.example.com:8443/a.png", []string{"cdn.example.com:8443"}) {
		t.Error("a host with a port is refused")
	}
}

func TestPicturesNeedAHostOfTheInstallation(t *testing.T) {
	t.Parallel()
	d := validDraft()
	d.Extras = notifier.Extras{Image: &notifier.Image{URL: "https://cdn.example.com/a.png", Alt: "A"}}
	if err := d.Validate(limits); err == nil || !strings.Contains(err.Error(), "image.url: image_host map[Host:cdn.example.com]") {
		t.Errorf("without hosts: %v", err)
	}
}

func TestEquivalentExtrasGetTheSameForm(t *testing.T) {
	t.Parallel()
	normalised := func(x notifier.Extras) notifier.Extras {
		t.Helper()
		d := validDraft()
		d.Extras = x
		with := limits
		with.ImageHosts = []string{"cdn.example.com"}
		if err := d.Validate(with); err != nil {
			t.Fatal(err)
		}
		return d.Extras
	}
	sent := notifier.Extras{
		Actor: &notifier.RowActor{ID: " u7 ", Name: "\tAlice ", Image: " https://cdn.example.com/a.png"}, Actions: []notifier.Action{{Label: " Go ", Link: " /go "}},
		Data: []byte(" { \"b\": 1.0, \"a\": [ ] } "),
	}
	want := notifier.Extras{
		Actor: &notifier.RowActor{ID: "u7", Name: "Alice", Image: "https://cdn.example.com/a.png"}, Actions: []notifier.Action{{Label: "Go", Link: "/go", Style: notifier.StylePlain}},
		Data: []byte(`{"b":1.0,"a":[]}`),
	}
	if got := normalised(sent); !got.Equal(&want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if sent.Actions[0].Label != " Go " || sent.Actor.Name != "\tAlice " {
		t.Error("the sender's own extras were changed")
	}
	empty := normalised(notifier.Extras{Actions: []notifier.Action{}, Data: []byte{}})
	if !empty.IsZero() || !empty.Equal(&notifier.Extras{}) {
		t.Errorf("no extras are %+v", empty)
	}
}
