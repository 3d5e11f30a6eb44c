package intake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// fields converts encoded fields to the form in which Redis returns them.
func fields(flat []string) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(flat); i += 2 {
		m[flat[i]] = flat[i+1]
	}
	return m
}

func TestEncodedEntriesDecodeUnchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Min(0)
		e := intake.Entry{
			ID: "1-1", NoticeID: number.Draw(t, "notice"), From: number.Draw(t, "from"), To: number.Draw(t, "to"), Again: rapid.Bool().Draw(t, "again"),
			Had: rapid.Bool().Draw(t, "had"), Revision: number.Draw(t, "rev"),
		}
		if e.NoticeID > 0 && rapid.Bool().Draw(t, "whole") {
			e.Delivery = &notifier.Delivery{
				NoticeID: e.NoticeID, Revision: e.Revision, Key: rapid.StringN(1, 20, -1).Draw(t, "key"), Expires: number.Draw(t, "expires"),
				Content: []byte(rapid.String().Draw(t, "content")), Counted: rapid.Bool().Draw(t, "counted"), Toast: rapid.Bool().Draw(t, "toast"),
				Seqs: rapid.SliceOfN(number, 1, 600).Draw(t, "seqs"),
			}
		} else {
			e.Retract = rapid.Bool().Draw(t, "retract")
		}
		got, err := intake.Decode("1-1", fields(intake.Encode(e)))
		if d := cmp.Diff(e, got); err != nil || d != "" {
			t.Fatalf("%v (-want +got):\n%s", err, d)
		}
	})
}

func TestMalformedEntriesAreRefused(t *testing.T) {
	t.Parallel()
	whole := fields(intake.Encode(small(7)))
	for name, change := range map[string]map[string]any{
		"no notice id":                     {"notice": nil},
		"a negative notice id":             {"notice": "-7"},
		"a notice id that is not a number": {"notice": "seven"},
		"a number too large":               {"rev": "9223372036854775808"},
		"no key":                           {"key": nil},
		"an empty key":                     {"key": ""},
		"no content":                       {"content": nil},
		"no recipients":                    {"seqs": nil},
		"an empty recipient list":          {"seqs": ""},
		"a gap in the recipient list":      {"seqs": "1,,2"},
		"a negative seq":                   {"seqs": "1,-2"},
		"a malformed flag":                 {"again": "true"},
		"an unknown field":                 {"colour": "red"},
		"a value that is not a string":     {"rev": 7},
		"a retraction with a delivery":     {"retract": "1"},
		"a zero notice id":                 {"notice": "0"},
	} {
		m := map[string]any{}
		for k, v := range whole {
			m[k] = v
		}
		for k, v := range change {
			if m[k] = v; v == nil {
				delete(m, k)
			}
		}
		if e, err := intake.Decode("1-1", m); err == nil || e.ID != "1-1" || e.NoticeID != 0 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

// Entries added by a version without toasts are delivered and show no toast.
func TestEntryFromBeforeToastsIsRead(t *testing.T) {
	t.Parallel()
	e, err := intake.Decode("1-1", map[string]any{
		"notice": "7", "rev": "2", "key": "like:photo_id:1", "expires": "1700000000000", "counted": "1", "seqs": "1,2", "content": "{}",
	})
	want := intake.Entry{ID: "1-1", NoticeID: 7, Revision: 2, Delivery: &notifier.Delivery{
		NoticeID: 7, Revision: 2, Key: "like:photo_id:1", Expires: 1700000000000, Counted: true, Seqs: []int64{1, 2}, Content: []byte("{}"),
	}}
	if d := cmp.Diff(want, e); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range []intake.Entry{{NoticeID: 7}, {NoticeID: 7, From: 500, To: 1000, Again: true}, {NoticeID: 7, Retract: true, Revision: 2}, {From: 5, To: 6, Again: true}, small(7)} {
		m := fields(intake.Encode(e))
		text := func(name string) string { s, _ := m[name].(string); return s }
		f.Add(text("notice"), text("from"), text("to"), text("again"), text("retract"), text("rev"), text("key"), text("expires"), text("counted"), text("toast"), text("seqs"), text("content"))
	}
	names := []string{"notice", "from", "to", "again", "retract", "rev", "key", "expires", "counted", "toast", "seqs", "content"}
	f.Fuzz(func(t *testing.T, notice, from, to, again, retract, rev, key, expires, counted, toast, seqs, content string) {
		m := map[string]any{}
		for i, value := range []string{notice, from, to, again, retract, rev, key, expires, counted, toast, seqs, content} {
			if value != "" {
				m[names[i]] = value
			}
		}
		e, err := intake.Decode("1-1", m)
		if err != nil {
			if d := cmp.Diff(intake.Entry{ID: "1-1"}, e); d != "" {
				t.Fatalf("refused, but partly read:\n%s", d)
			}
			return
		}
		if e.NoticeID < 0 || e.From < 0 || e.To < 0 || e.Delivery != nil && (e.NoticeID == 0 || len(e.Delivery.Seqs) == 0 || e.Delivery.NoticeID != e.NoticeID) {
			t.Fatalf("read %+v", e)
		}
		again2, err := intake.Decode("1-1", fields(intake.Encode(e)))
		if d := cmp.Diff(e, again2, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Fatalf("%v (-first +second reading):\n%s", err, d)
		}
	})
}
