package notifier_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// FuzzValidDraftCannotForgeKeysOrLines checks that a valid draft is safe to store and publish.
func FuzzValidDraftCannotForgeKeysOrLines(f *testing.F) {
	d := validDraft()
	f.Add(d.Type, d.Scope, d.Subject, d.Title, d.Body, d.Link, "alice", int64(0))
	f.Add("like", "", "has_read:0", "a\u2028b", "a\r\nb", "/\\x", "a,b", int64(-1))
	f.Add("a", "x", "notice_id:1", "\xff", "\x00", "https://app.example/%0a", "\n", int64(1))
	f.Add("a", "x", "x:has_read", "<script>", "</script>", "//x", "r", int64(1<<62))
	f.Fuzz(func(t *testing.T, kind, scope, subject, title, body, link, to string, expires int64) {
		d := notifier.Draft{
			Target: notifier.Target{Users: readNames(to)}, Type: kind, Scope: scope, Subject: subject,
			Title: title, Body: body, Link: link, ExpiresIn: time.Duration(expires),
		}
		if err := d.Validate(limits); err != nil {
			return
		}
		n := notifier.Notice{Draft: d, ID: 7}
		key := n.Key()
		if strings.ContainsAny(key, " \r\n") || strings.Contains(key, ":has_read:") {
			t.Fatalf("key %q could be mistaken for another", key)
		}
		for suffix, read := range map[string]bool{notifier.UnreadSuffix: false, notifier.ReadSuffix: true} {
			if got, r, ok := notifier.SplitField(key + suffix); got != key || r != read || !ok {
				t.Fatalf("field %q was split into %q, %v", key+suffix, got, r)
			}
		}
		js, err := notifier.EncodeContent(n.Content())
		if err != nil || bytes.ContainsAny(js, "\r\n\u2028\u2029") || bytes.ContainsRune(js, 0) {
			t.Fatalf("content %q is not a single line: %v", js, err)
		}
		c, err := notifier.ParseChange("5 1\nnotice 7 " + key + " " + string(js))
		if err != nil || len(c.Events) != 1 || c.Events[0].Key != key || c.Events[0].JSON != string(js) {
			t.Fatalf("a change with this content was parsed as %+v, %v", c, err)
		}
		again := d
		if err := again.Validate(limits); err != nil || again.Title != d.Title || again.Link != d.Link {
			t.Fatalf("the second Validate failed or changed the draft: %v", err)
		}
		if d.ExpiresIn <= 0 || d.ExpiresIn > limits.Keep || len(d.Target.Users) == 0 {
			t.Fatalf("expiry %v, users %q", d.ExpiresIn, d.Target.Users)
		}
	})
}
