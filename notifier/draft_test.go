package notifier_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

var limits = notifier.Limits{LinkHosts: []string{"app.example", "shop.example:8443"}, Keep: 180 * 24 * time.Hour}

func validDraft() notifier.Draft {
	return notifier.Draft{
		Target: notifier.Target{Users: []string{"alice"}}, Type: "like", Scope: "119240", Subject: "photo_id:1:user_id:7",
		Title: "Bob likes your photo", Body: "First line\nsecond", Link: "/photos/1?tab=likes#top", ExpiresIn: time.Hour,
	}
}

// faults returns `field: code` of each fault that Validate finds.
func faults(t *testing.T, d notifier.Draft) []string {
	t.Helper()
	err := d.Validate(limits)
	if err == nil {
		return nil
	}
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		t.Fatalf("Validate returned %T (%v), not an *InvalidError", err, err)
	}
	var got []string
	for _, f := range bad.Fields {
		got = append(got, f.Field+": "+f.Code)
	}
	return got
}

func TestEachRuleOfADraftIsChecked(t *testing.T) {
	t.Parallel()
	type draft = notifier.Draft
	users := func(names ...string) func(*draft) {
		return func(d *draft) { d.Target = notifier.Target{Users: names} }
	}
	tests := []struct {
		name   string
		change func(*draft)
		want   string // empty: accepted
	}{
		{"a valid draft", func(*draft) {}, ""},
		{"no scope, subject, body, link, expiry", func(d *draft) {
			d.Scope, d.Subject, d.Body, d.Link, d.ExpiresIn = "", "", "", "", 0
		}, ""},
		{"a role", func(d *draft) { d.Target = notifier.Target{Role: "picker"} }, ""},
		{"nobody", users(), "to: required"},
		{"users and a role", func(d *draft) { d.Target.Role = "picker" }, "target: one_target"},
		{"a name of 200 bytes", users(strings.Repeat("é", 100)), ""},
		{"a name of 201 bytes", users(strings.Repeat("a", 201)), "to: bad_name"},
		{"an empty name", users("alice", ""), "to: bad_name"},
		{"a name with NUL", users("al\x00ice"), "to: bad_name"},
		{"a name in invalid UTF-8", users("\xff"), "to: bad_name"},
		{"a role with LF", func(d *draft) { d.Target = notifier.Target{Role: "pick\ner"} }, "to: bad_name"},

		{"no type", func(d *draft) { d.Type = "" }, ""},
		{"no type of a topic", func(d *draft) { d.Type, d.Target = "", notifier.Target{Topic: notifier.Topic{Scope: "7"}} }, "to: bad_topic, type: required"},
		{"a type of 63", func(d *draft) { d.Type = strings.Repeat("a", 63) }, ""},
		{"a type of 64", func(d *draft) { d.Type = strings.Repeat("a", 64) }, "type: bad_type"},
		{"an upper-case type", func(d *draft) { d.Type = "Like" }, "type: bad_type"},
		{"a type with a colon", func(d *draft) { d.Type = "like:x" }, "type: bad_type"},
		{"a type that starts with a dot", func(d *draft) { d.Type = ".like" }, "type: bad_type"},
		{"a type that ends with LF", func(d *draft) { d.Type = "like\n" }, "type: bad_type"},
		{"a type with a dotless i", func(d *draft) { d.Type = "lıke" }, "type: bad_type"},
		{"a scope of 64", func(d *draft) { d.Scope = strings.Repeat("Z", 64) }, ""},
		{"a scope of 65", func(d *draft) { d.Scope = strings.Repeat("Z", 65) }, "scope: bad_scope"},
		{"a scope with a space", func(d *draft) { d.Scope = "a b" }, "scope: bad_scope"},

		{"a subject of 200", func(d *draft) { d.Subject = strings.Repeat("~", 200) }, ""},
		{"a subject of 201", func(d *draft) { d.Subject = strings.Repeat("~", 201) }, "subject: too_long"},
		{"a subject with a space", func(d *draft) { d.Subject = "photo 1" }, "subject: bad_subject"},
		{"a subject with DEL", func(d *draft) { d.Subject = "photo\x7f" }, "subject: bad_subject"},
		{"a subject that is not ASCII", func(d *draft) { d.Subject = "写真" }, "subject: bad_subject"},
		{"a subject with a state", func(d *draft) { d.Subject = "photo:has_read:0" }, "subject: subject_reserved"},
		{"a subject that forms a state after the type's colon", func(d *draft) { d.Subject = "has_read:1" }, "subject: subject_reserved"},
		{"a subject that looks like the key of a notice without a subject", func(d *draft) { d.Subject = "notice_id:5" }, "subject: subject_reserved"},
		{"a subject with notice_id further on", func(d *draft) { d.Subject = "of:notice_id:5" }, ""},

		{"no title", func(d *draft) { d.Title = "" }, "title: required"},
		{"a title of spaces", func(d *draft) { d.Title = "  \u3000\u200b " }, "title: required"},
		{"a title of 200 characters", func(d *draft) { d.Title = strings.Repeat("日", 200) }, ""},
		{"a title of 201 characters", func(d *draft) { d.Title = strings.Repeat("日", 201) }, "title: too_long"},
		{"a title of one emoji", func(d *draft) { d.Title = "🎉" }, ""},
		{"a title of two lines", func(d *draft) { d.Title = "a\nb" }, "title: bad_text"},
		{"a title with CR", func(d *draft) { d.Title = "a\rb" }, "title: bad_text"},
		{"a title with NUL", func(d *draft) { d.Title = "a\x00" }, "title: bad_text"},
		{"a title with a C1 control", func(d *draft) { d.Title = "a\u0085b" }, "title: bad_text"},
		{"a title with U+2028", func(d *draft) { d.Title = "a\u2028b" }, "title: bad_text"},
		{"a title in invalid UTF-8", func(d *draft) { d.Title = "a\xc3" }, "title: bad_text"},
		{"a title with U+FFFD", func(d *draft) { d.Title = "a\ufffd" }, ""},
		{"a title with a direction override", func(d *draft) { d.Title = "a\u202eb" }, "title: bad_text"},
		{"a title with a pair of isolates", func(d *draft) { d.Title = "\u2068Ann\u2069 wrote, \u2067\u2068x\u2069\u2069" }, ""},
		{"a body with a pair of isolates over lines, and tabs", func(d *draft) { d.Body = "\ta \u2066b\nc\u2069" }, ""},
		{"a title with an isolate that is not closed", func(d *draft) { d.Title = "a\u2066b" }, "title: open_isolate"},
		{"a body that ends an isolate before it begins", func(d *draft) { d.Body = "a\u2069b\u2068" }, "body: open_isolate"},
		{"a title of isolates alone", func(d *draft) { d.Title = "\u2068\u2069" }, "title: required"},
		{"a title with a tab", func(d *draft) { d.Title = "a\tb" }, ""},
		{"a title in a right-to-left script", func(d *draft) { d.Title = "مرحبا \u200fabc" }, ""},

		{"a body of 4,000 characters", func(d *draft) { d.Body = strings.Repeat("語", 4000) }, ""},
		{"a body of 4,001 characters", func(d *draft) { d.Body = strings.Repeat("語", 4001) }, "body: too_long"},
		{"a body of 4,000 characters after CRLF becomes LF", func(d *draft) { d.Body = strings.Repeat("\r\n", 4000) }, ""},
		{"a body with a lone CR", func(d *draft) { d.Body = "a\rb" }, "body: bad_text"},
		{"a body with ESC", func(d *draft) { d.Body = "a\x1b[31m" }, "body: bad_text"},
		{"a body with U+2029", func(d *draft) { d.Body = "a\u2029b" }, "body: bad_text"},
		{"a body with a direction override", func(d *draft) { d.Body = "\u202dabc" }, "body: bad_text"},

		{"an expiry in the past", func(d *draft) { d.ExpiresIn = -1 }, "expires_in: expires_past"},
		{"an expiry at the time limit", func(d *draft) { d.ExpiresIn = limits.Keep }, ""},
		{"an expiry beyond the time limit", func(d *draft) { d.ExpiresIn = limits.Keep + 1 }, "expires_in: expires_late"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := validDraft()
			tt.change(&d)
			if got := strings.Join(faults(t, d), ", "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAllFaultsAreReportedAtOnceInFormOrder(t *testing.T) {
	t.Parallel()
	d := notifier.Draft{
		Type: "A", Scope: "a b", Subject: "has_read:0", Body: strings.Repeat("x", 4231), Link: "//evil.example", ExpiresIn: -time.Second,
	}
	want := []string{
		"to: required", "type: bad_type", "scope: bad_scope", "subject: subject_reserved", "title: required",
		"body: too_long", "link: bad_link", "expires_in: expires_past",
	}
	if diff := cmp.Diff(want, faults(t, d)); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsIncludeTheLimitsAndAllowedValues(t *testing.T) {
	t.Parallel()
	d := validDraft()
	d.Title, d.Link = strings.Repeat("x", 231), "https://evil.example/"
	want := &notifier.InvalidError{Fields: []notifier.FieldError{
		{Field: "title", Code: "too_long", Params: map[string]any{"Max": 200, "Count": 231}},
		{Field: "link", Code: "link_host", Params: map[string]any{"Host": "evil.example"}},
	}}
	if diff := cmp.Diff(error(want), d.Validate(limits)); diff != "" {
		t.Error(diff)
	}
}

func TestValidateNormalisesTheDraft(t *testing.T) {
	t.Parallel()
	users := []string{"bob", "alice", "bob"}
	d := notifier.Draft{Target: notifier.Target{Users: users}, Type: " like ", Title: " a  b ", Body: " a\r\nb\n", Link: " /x "}
	if err := d.Validate(notifier.Limits{}); err != nil {
		t.Fatal(err)
	}
	want := notifier.Draft{
		Target: notifier.Target{Users: []string{"bob", "alice"}}, Type: "like", Title: "a  b", Body: " a\nb\n", Link: "/x",
		ExpiresIn: notifier.DefaultKeep,
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"bob", "alice", "bob"}, users); diff != "" {
		t.Errorf("Validate changed the caller's slice: %s", diff)
	}
}
