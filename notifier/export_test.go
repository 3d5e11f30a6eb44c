package notifier_test

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// walk yields the items, and then err unless it is nil.
func walk[T any](err error, items ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

func TestAnExportIsOneJSONObjectWithAllParts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)
	yes := true
	e := notifier.Export{
		User:          notifier.User{Seq: 7, Name: `A "quoted" 名`, Display: "Ann", Audience: 3, Settings: notifier.Settings{Locale: "ja", KeysOff: true}, Zones: notifier.Zones{Seen: "Asia/Taipei"}, Roles: []string{"staff"}},
		CreatedAt:     at,
		Subscriptions: []notifier.Topic{{Type: "stock", Scope: "119240"}},
		Sessions:      []notifier.ExportedSession{{Agent: "Mozilla/5.0", CreatedAt: at, SeenAt: at}, {CreatedAt: at, SeenAt: at}},
		Inbox: notifier.ExportedInbox{Unread: 1, Entries: []notifier.ExportedEntry{
			{Key: "like:a", ID: 2, Content: &notifier.Content{Type: "like", Title: "t", CreatedAt: at, Reason: "user"}}, {Key: "like:b", Read: true, ID: 1},
		}},
		Toasts: []notifier.ExportedToast{{RaisedAt: at, Title: "Export finished"}},
		Sent:   walk(nil, notifier.Notice{ID: 1, Draft: notifier.Draft{Type: "news", Title: "one", Extras: notifier.Extras{Image: &notifier.Image{URL: "https://cdn.example.com/a.png", Alt: "A"}, Data: []byte(`{"a":1}`)}}}, notifier.Notice{ID: 2}),
		Acted:  walk(nil, notifier.Notice{ID: 3, Draft: notifier.Draft{Type: "like", Title: "Ann likes it", Target: notifier.Target{Users: []string{"bob"}}, Extras: notifier.Extras{Actor: &notifier.RowActor{ID: "7", Name: "Ann"}}}, CreatedAt: at}),
		Events: walk[notifier.HookEvent](nil),
		Log:    walk[notifier.AuditEntry](nil),
		Preferences: notifier.Preferences{
			Mail: notifier.When{Daily: true}, MailAt: 450, Push: notifier.When{Off: true}, Zone: "Asia/Tokyo", Quiet: &notifier.Quiet{From: 1320, To: 420}, PausedUntil: at,
			Types: map[string]notifier.TypeWants{"like": {Inbox: new(bool), Mail: &yes}},
		},
		Targets: []notifier.ReachTarget{{Kind: notifier.ReachMail, Address: "ann@example.com", State: notifier.ReachDead, CreatedAt: at, SeenAt: at}},
	}
	var text strings.Builder
	if err := e.Encode(&text); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
		t.Fatalf("%v:\n%s", err, text.String())
	}
	instant := "2026-03-01T12:00:00.005Z"
	want := map[string]any{
		"user":          map[string]any{"name": `A "quoted" 名`, "display": "Ann", "number": 7.0, "audience": 3.0, "roles": []any{"staff"}, "created_at": instant},
		"settings":      map[string]any{"locale": "ja", "theme": "", "keys": false, "toasts": true, "opening_reads": true, "compact": false},
		"muted":         []any{},
		"subscriptions": []any{map[string]any{"type": "stock", "scope": "119240"}},
		"sessions":      []any{map[string]any{"agent": "Mozilla/5.0", "created_at": instant, "seen_at": instant}, map[string]any{"created_at": instant, "seen_at": instant}},
		"acted": []any{map[string]any{
			"id": 3.0, "type": "like", "title": "Ann likes it", "body": "", "link": "", "actor": map[string]any{"id": "7", "name": "Ann"}, "created_at": instant,
		}},
		"announcements_read": []any{},
		"answers":            []any{},
		"drafts":             []any{}, "events": []any{},
		"preferences": map[string]any{
			"mail": map[string]any{"when": "daily", "at": "07:30"}, "push": map[string]any{"when": "off"}, "zone": "Asia/Tokyo", "zone_seen": "Asia/Taipei",
			"quiet": map[string]any{"from": "22:00", "to": "07:00"}, "paused_until": "2026-03-01T12:00:00.005Z",
			"types": map[string]any{"like": map[string]any{"inbox": false, "mail": true}},
		},
		"targets": []any{map[string]any{
			"kind": "mail", "address": "ann@example.com", "state": "dead", "created_at": "2026-03-01T12:00:00.005Z", "seen_at": "2026-03-01T12:00:00.005Z",
		}},
		"toasts": []any{map[string]any{"raised_at": instant, "title": "Export finished", "body": "", "link": ""}},
		"log":    []any{},
		"inbox": map[string]any{"unread": 1.0, "entries": []any{
			map[string]any{"key": "like:a", "id": 2.0, "read": false, "type": "like", "title": "t", "body": "", "link": "", "created_at": instant, "reason": "user"},
			map[string]any{"key": "like:b", "id": 1.0, "read": true},
		}},
	}
	sent, ok := got["sent"].([]any)
	delete(got, "sent")
	if diff := cmp.Diff(want, got); diff != "" || !ok || len(sent) != 2 {
		t.Fatalf("sent = %v; the other parts (-want +got):\n%s", sent, diff)
	}
	first, _ := sent[0].(map[string]any)
	if diff := cmp.Diff([]any{map[string]any{"url": "https://cdn.example.com/a.png", "alt": "A"}, map[string]any{"a": 1.0}, nil}, []any{first["image"], first["data"], first["actor"]}); diff != "" {
		t.Errorf("the extras of a sent notice: %s", diff)
	}
}

// full is a writer that fails once room bytes are exceeded.
type full struct{ room int }

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestEncodeReturnsListAndWriteErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	e := notifier.Export{Acted: walk[notifier.Notice](nil), Events: walk[notifier.HookEvent](nil), Sent: walk(nil, notifier.Notice{ID: 1}), Log: walk(broken, notifier.AuditEntry{Actor: notifier.CommandRef("a")})}
	var text strings.Builder
	if err := e.Encode(&text); !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
	e.Log = walk[notifier.AuditEntry](nil)
	text.Reset()
	if err := e.Encode(&text); err != nil {
		t.Fatal(err)
	}
	for room := range text.Len() {
		if err := e.Encode(&full{room}); !errors.Is(err, errFull) {
			t.Fatalf("with room for %d bytes: error = %v", room, err)
		}
	}
}
