package notifier_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestSplitFieldSeparatesKeyAndState(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]struct {
		key      string
		read, ok bool
	}{
		"like:photo_id:1:user_id:7:has_read:0": {"like:photo_id:1:user_id:7", false, true},
		"like:photo_id:1:user_id:7:has_read:1": {"like:photo_id:1:user_id:7", true, true},
		"like:a:has_read:1:has_read:0":         {"like:a:has_read:1", false, true},
		":has_read:0":                          {"", false, true},
		"like:photo_id:1":                      {ok: false},
		"like:has_read:2":                      {ok: false},
		"":                                     {ok: false},
	} {
		key, read, ok := notifier.SplitField(field)
		if ok != want.ok || ok && (key != want.key || read != want.read) {
			t.Errorf("%q: %q, %v, %v; want %+v", field, key, read, ok, want)
		}
	}
}

func TestTheKeyIsTypeAndSubjectOrNoticeID(t *testing.T) {
	t.Parallel()
	n := notifier.Notice{ID: 7, Draft: notifier.Draft{Type: "like", Subject: "photo_id:1:user_id:7"}}
	if got := n.Key(); got != "like:photo_id:1:user_id:7" {
		t.Errorf("key %q", got)
	}
	n.Subject = ""
	if got := n.Key(); got != "like:notice_id:7" {
		t.Errorf("key without a subject %q", got)
	}
}

func TestEncodedContentIsOneLineWhateverTheFieldsContain(t *testing.T) {
	t.Parallel()
	n := notifier.Notice{
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.FixedZone("", 3600)),
		Draft:     notifier.Draft{Type: "like", Title: "a\r\nb\u2028c\u2029d\x00", Body: "x\ny", Target: notifier.Target{Role: "picker"}},
	}
	text, err := notifier.EncodeContent(n.Content())
	if err != nil || strings.ContainsAny(string(text), "\r\n\x00\u2028\u2029") {
		t.Fatalf("%q, %v", text, err)
	}
	var back notifier.Content
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, n.Content()) {
		t.Errorf("decoded as %+v, %v; want %+v", back, err, n.Content())
	}
	if got := back.CreatedAt.Format(time.RFC3339Nano); got != "2026-01-02T02:04:05.678Z" {
		t.Errorf("created at %s", got)
	}
	if back.Reason != "role:picker" {
		t.Errorf("reason %q", back.Reason)
	}
	n.Target = notifier.Target{Users: []string{"alice"}}
	if got := n.Content().Reason; got != "user" {
		t.Errorf("reason of a notice to users %q", got)
	}
}
