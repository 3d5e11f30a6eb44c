package delivery_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// fields converts encoded fields to the form in which Redis returns them.
func fields(flat []string) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(flat); i += 2 {
		m[flat[i]] = flat[i+1]
	}
	return m
}

var kinds = []delivery.Kind{delivery.Whole, delivery.Deliver, delivery.Edit, delivery.Retract, delivery.Resend}

// The fields are those of entries that wait in streams now, and that other versions read: this test
// changes only if an upgrade without a stop is given up.
func TestEntriesOfOtherVersionsAreReadAndWritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stored []string
		want   delivery.Entry
	}{
		"a baton":                {[]string{"notice", "7"}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7}},
		"a baton on its way":     {[]string{"notice", "7", "from", "500", "rev", "2"}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7, From: 500, Revision: 2}},
		"a range":                {[]string{"notice", "7", "from", "3", "to", "5"}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7, From: 3, To: 5}},
		"again":                  {[]string{"notice", "7", "again", "1"}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7, Again: true}},
		"again, it was sent":     {[]string{"notice", "7", "again", "1", "had", "1"}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7, Again: true, Had: true}},
		"an edit":                {[]string{"notice", "7", "had", "1", "rev", "1"}, delivery.Entry{Kind: delivery.Edit, NoticeID: 7, Revision: 1}},
		"a range of an edit":     {[]string{"notice", "7", "from", "3", "to", "5", "had", "1", "rev", "1"}, delivery.Entry{Kind: delivery.Edit, NoticeID: 7, From: 3, To: 5, Revision: 1}},
		"a retraction":           {[]string{"notice", "7", "retract", "1"}, delivery.Entry{Kind: delivery.Retract, NoticeID: 7}},
		"a retraction again":     {[]string{"notice", "7", "from", "3", "to", "5", "again", "1", "retract", "1"}, delivery.Entry{Kind: delivery.Retract, NoticeID: 7, From: 3, To: 5, Again: true}},
		"the notices since then": {[]string{"notice", "0", "from", "17", "to", "1700000000000", "again", "1"}, delivery.Entry{Kind: delivery.Resend, After: 17, Since: 1700000000000}},
		"a followed baton":       {[]string{"notice", "7", "rev", "2", "trace", "00-1-2-01"}, delivery.Entry{Kind: delivery.Deliver, NoticeID: 7, Revision: 2, Trace: "00-1-2-01"}},
		"a whole notice": {
			[]string{"notice", "7", "again", "1", "had", "1", "rev", "2", "key", "like", "seqs", "1,2", "content", "{}"},
			delivery.Entry{Kind: delivery.Whole, NoticeID: 7, Revision: 2, Again: true, Had: true, Delivery: &notifier.Delivery{
				NoticeID: 7, Revision: 2, Key: "like", Seqs: []int64{1, 2}, Content: []byte("{}"),
			}},
		},
	} {
		got, err := delivery.Decode("", fields(test.stored))
		if d := cmp.Diff(test.want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, d)
		}
		if d := cmp.Diff(test.stored, delivery.Encode(test.want)); d != "" {
			t.Errorf("%s is stored as (-want +got):\n%s", name, d)
		}
	}
}

func TestEncodedEntriesDecodeUnchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Min(0)
		flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
		e := delivery.Entry{ID: "1-1", Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Trace: rapid.String().Draw(t, "trace")}
		if e.Kind == delivery.Resend {
			e.Since, e.After = number.Draw(t, "since"), number.Draw(t, "after")
		} else {
			e.NoticeID, e.Revision = rapid.Int64Min(1).Draw(t, "notice"), number.Draw(t, "rev")
		}
		switch e.Kind {
		case delivery.Resend:
		case delivery.Deliver, delivery.Retract, delivery.Edit:
			e.From, e.To = number.Draw(t, "from"), number.Draw(t, "to")
			e.Again = e.Kind != delivery.Edit && flag("again")
			e.Had = e.Kind == delivery.Deliver && e.Again && flag("had")
		case delivery.Whole:
			e.Again, e.Had = flag("again"), flag("had")
			e.Delivery = &notifier.Delivery{
				NoticeID: e.NoticeID, Revision: e.Revision, Key: rapid.StringN(1, 20, -1).Draw(t, "key"), Expires: number.Draw(t, "expires"),
				Content: []byte(rapid.String().Draw(t, "content")), Counted: flag("counted"), Toast: flag("toast"),
				Seqs: rapid.SliceOfN(number, 1, 600).Draw(t, "seqs"),
			}
		}
		got, err := delivery.Decode("1-1", fields(delivery.Encode(e)))
		if d := cmp.Diff(e, got); err != nil || d != "" {
			t.Fatalf("%v (-want +got):\n%s", err, d)
		}
	})
}

func TestMalformedEntriesAreRefused(t *testing.T) {
	t.Parallel()
	whole := fields(delivery.Encode(small(7)))
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
		if e, err := delivery.Decode("1-1", m); err == nil || e.ID != "1-1" || e.NoticeID != 0 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

// Entries added by a version without toasts are delivered and show no toast.
func TestEntryFromBeforeToastsIsRead(t *testing.T) {
	t.Parallel()
	e, err := delivery.Decode("1-1", map[string]any{
		"notice": "7", "rev": "2", "key": "like:photo_id:1", "expires": "1700000000000", "counted": "1", "seqs": "1,2", "content": "{}",
	})
	want := delivery.Entry{ID: "1-1", Kind: delivery.Whole, NoticeID: 7, Revision: 2, Delivery: &notifier.Delivery{
		NoticeID: 7, Revision: 2, Key: "like:photo_id:1", Expires: 1700000000000, Counted: true, Seqs: []int64{1, 2}, Content: []byte("{}"),
	}}
	if d := cmp.Diff(want, e); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range []delivery.Entry{
		{Kind: delivery.Deliver, NoticeID: 7},
		{Kind: delivery.Deliver, NoticeID: 7, From: 500, To: 1000, Again: true, Had: true},
		{Kind: delivery.Edit, NoticeID: 7, Revision: 1},
		{Kind: delivery.Retract, NoticeID: 7, Revision: 2},
		{Kind: delivery.Resend, After: 5, Since: 6},
		small(7),
	} {
		m := fields(delivery.Encode(e))
		text := func(name string) string { s, _ := m[name].(string); return s }
		f.Add(text("notice"), text("from"), text("to"), text("again"), text("had"), text("retract"), text("rev"), text("key"), text("expires"), text("counted"), text("toast"), text("seqs"), text("content"))
	}
	names := []string{"notice", "from", "to", "again", "had", "retract", "rev", "key", "expires", "counted", "toast", "seqs", "content"}
	f.Fuzz(func(t *testing.T, notice, from, to, again, had, retract, rev, key, expires, counted, toast, seqs, content string) {
		m := map[string]any{}
		for i, value := range []string{notice, from, to, again, had, retract, rev, key, expires, counted, toast, seqs, content} {
			if value != "" {
				m[names[i]] = value
			}
		}
		e, err := delivery.Decode("1-1", m)
		if err != nil {
			if d := cmp.Diff(delivery.Entry{ID: "1-1"}, e); d != "" {
				t.Fatalf("refused, but partly read:\n%s", d)
			}
			return
		}
		if !slices.Contains(kinds, e.Kind) || (e.Kind == delivery.Whole) != (e.Delivery != nil) || (e.Kind == delivery.Resend) != (e.NoticeID == 0) || e.NoticeID < 0 || e.From < 0 || e.To < 0 || e.Delivery != nil && (e.NoticeID == 0 || len(e.Delivery.Seqs) == 0 || e.Delivery.NoticeID != e.NoticeID) {
			t.Fatalf("read %+v", e)
		}
		again2, err := delivery.Decode("1-1", fields(delivery.Encode(e)))
		if d := cmp.Diff(e, again2, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Fatalf("%v (-first +second reading):\n%s", err, d)
		}
	})
}
