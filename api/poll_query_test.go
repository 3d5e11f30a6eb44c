package api

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
)

func TestSinceIsAnAtOrATime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"0":                              0,
		"9007199254740991":               notifier.MaxAt,
		"9999-12-31T23:59:59.999Z":       253_402_300_799_999,
		"1700000000000":                  1_700_000_000_000,
		"2023-11-14T22:13:20Z":           1_700_000_000_000,
		"2023-11-14T22:13:20.123Z":       1_700_000_000_123,
		"2023-11-15T07:13:20+09:00":      1_700_000_000_000,
		"2023-11-15T07:13:20 09:00":      1_700_000_000_000, // an unescaped plus sign arrives as a space
		"2023-11-14T22:13:20.123456789Z": 1_700_000_000_123,
	} {
		if got, ok := parseSince(text); got != want || !ok {
			t.Errorf("%q: %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "-1", "yesterday", "2023-11-14", "1969-12-31T23:59:59Z", "9007199254740992", "9223372036854775807", "9223372036854775808", "1e12", "2023-11-14T25:00:00Z",
		strings.Repeat("9", 10_000), "\x00", "\xff",
	} {
		if at, ok := parseSince(text); ok {
			t.Errorf("%.40q is accepted as %d", text, at)
		}
	}
}

func TestACursorSurvivesItsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seq, at, newest := rapid.Int64Min(1).Draw(t, "seq"), rapid.Int64Range(1, notifier.MaxAt).Draw(t, "at"), rapid.Int64Range(0, notifier.MaxAt).Draw(t, "newest")
		scope := rapid.StringMatching(`[A-Za-z0-9_.-]{0,64}`).Draw(t, "scope")
		text := cursor(seq, scope, at, newest)
		if gotAt, gotNewest := parseCursor(seq, scope, text); gotAt != at || gotNewest != newest {
			t.Errorf("%q decodes to %d and %d, want %d and %d", text, gotAt, gotNewest, at, newest)
		}
	})
}

func TestAForgedCursorIsTheFirstPage(t *testing.T) {
	t.Parallel()
	text := cursor(7, "119240", 1_700_000_000_000, 1_700_000_000_005)
	for name, made := range map[string]string{
		"none":           "",
		"a number":       "1700000000000",
		"cut off":        text[:len(text)-1],
		"longer":         text + "A",
		"padded":         text + "=",
		"with a line":    text[:8] + "\n" + text[9:],
		"another letter": text[:5] + "_" + text[6:],
		"other bits":     text[:len(text)-1] + string(text[len(text)-1]+1),
		"another user":   cursor(8, "119240", 1_700_000_000_000, 1_700_000_000_005),
		"another scope":  cursor(7, "", 1_700_000_000_000, 1_700_000_000_005),
		"negative":       cursor(7, "119240", -5, 5),
		"negative too":   cursor(7, "119240", 5, -5),
		"far away":       cursor(7, "119240", 5, notifier.MaxAt+1),
		"far away too":   cursor(7, "119240", notifier.MaxAt+1, 5),
		"long":           strings.Repeat("A", 10_000),
	} {
		if at, newest := parseCursor(7, "119240", made); at != 0 || newest != 0 {
			t.Errorf("%s: %.40q decodes to %d and %d", name, made, at, newest)
		}
	}
	if cursor(7, "", 0, 5) != "" {
		t.Error("the last page has a cursor")
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("")
	f.Add(cursor(1, "a", 5, 6))
	f.Fuzz(func(t *testing.T, text string) {
		if at, newest := parseCursor(1, "a", text); at < 0 || at > 0 && cursor(1, "a", at, newest) != text {
			t.Errorf("%q decodes to %d and %d", text, at, newest)
		}
	})
}
