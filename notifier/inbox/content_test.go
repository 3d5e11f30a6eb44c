package inbox

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func FuzzDecodeContentAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{
		`{"type":"like","title":"a","body":"b\n\"c\"","link":"/x","created_at":"2026-01-02T03:04:05.678Z","reason":"user"}`,
		`{"type":"like","scope":"s","title":"","body":"","link":"","created_at":"2026-01-02T03:04:05Z","reason":"role:x"}`,
		`{"rev":3,"type":"like","title":"","body":"","link":"","created_at":"2026-01-02T03:04:05Z","reason":""}`,
		`{"rev":03,"type":"like","title":"","body":"","link":"","created_at":"2026-01-02T03:04:05Z","reason":""}`, `{"rev":"1","type":"a"}`, `{"rev":`,
		`{"type":"like"}`, `{`, `{"type":"\`, "{\"type\":\"\x01\"}", `{"title":"x","type":"y"}`, "{\"type\":\"\xff\"}",
		`{"type":"a","title":"","body":"","link":"","created_at":"2026-01-02T03:04:05,5Z","reason":""}`,
		`{"type":"a","title":"\ud800","body":"","link":"","created_at":"2026-01-02T3:04:05Z","reason":""}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want notifier.Content
		wantErr := json.Unmarshal([]byte(text), &want)
		got, err := decodeContent(text)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%q was decoded as\n%+v, %v; want\n%+v, %v", text, got, err, want, wantErr)
		}
	})
}

func TestEncodedContentIsDecodedWithoutEncodingJSON(t *testing.T) {
	t.Parallel()
	c := notifier.Content{
		Type: "like", Scope: "s", Title: "ж \u2028 <&>", Body: "line\n\"two\"\\", Link: "/a?b=c&d",
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC), Reason: "role:picker",
	}
	for range 4 {
		text, err := notifier.EncodeContent(c)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := decodeLaidOut(string(text)); !ok || !reflect.DeepEqual(got, c) {
			t.Errorf("decoded %+v, %v; want %+v", got, ok, c)
		}
		c.Scope, c.Revision = "", c.Revision*20+1
	}
}

func BenchmarkParseRow(b *testing.B) {
	c := notifier.Content{Type: "like", Title: "Somebody likes your photo", Body: "line 1\nline 2", Link: "/photos/1", CreatedAt: time.Now().UTC(), Reason: "user"}
	text, err := notifier.EncodeContent(c)
	if err != nil {
		b.Fatal(err)
	}
	value := "7 1700000000000 1700000000001 " + string(text)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseRow("like:photo:7:has_read:0", value); err != nil {
			b.Fatal(err)
		}
	}
}
