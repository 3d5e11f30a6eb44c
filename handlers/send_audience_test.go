package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

var audienceForm = []string{"target", "audience", "to", "customer", "title", "Hello", "body", "**Now**"}

// inTokyo contains the headers of a browser in the time zone of Tokyo.
var inTokyo = []string{"Cookie", "tz=Asia/Tokyo"}

// postAs sends a form with headers; fields are name, value pairs.
func (w *world) postAs(headers []string, address string, fields ...string) reply {
	w.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Add(fields[i], fields[i+1])
	}
	return w.postBody("carol", address, values.Encode(), headers...)
}

func TestAudienceIsFoundByEachOfItsNames(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	w.config.Audiences = map[notifier.Audience]string{1: "operator", 3: "customer", 12: "Guests"}
	w.rebuild()
	for _, test := range []struct {
		lang, to string
		want     []notifier.Audience
		fault    string
	}{
		{"en", "customer", []notifier.Audience{3}, ""},
		{"en", " CUSTOMER ,\r\nguests", []notifier.Audience{3, 12}, ""},
		{"ja", "顧客, Operator", []notifier.Audience{3, 1}, ""},
		{"zh", "客户", []notifier.Audience{3}, ""},
		{"en", "客户", nil, "客户 does not exist."},
		{"en", "customer, martian, venusian", nil, "martian does not exist."},
		{"en", "user", nil, "user does not exist."},
		{"en", "3", nil, "3 does not exist."},
		{"en", "5m", nil, "5m does not exist."},
		{"ja", "5m", nil, "「5m」は存在しません。"},
		{"en", " , ", nil, "Required."},
	} {
		sent = nil
		r := w.postAs([]string{"Accept-Language", test.lang}, "/staff/send", with(audienceForm, "to", test.to)...)
		if test.fault == "" {
			r.wantRedirect(t, "/staff/notices/42")
			if len(sent) != 1 || !cmp.Equal(test.want, sent[0].Target.Audiences) {
				t.Errorf("%q: sent %+v", test.to, sent)
			}
			continue
		}
		r.wantStatus(t, http.StatusUnprocessableEntity).wantText(t, "#to-fault", test.fault)
		if len(sent) > 0 || r.count(".fault") != 1 || r.count("[data-testid=faults] li") != 1 {
			t.Errorf("%q: sent %v, %d faults, %d in the list", test.to, sent, r.count(".fault"), r.count("[data-testid=faults] li"))
		}
	}
}

func TestWindowIsInTheReadersTimeZone(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	at := func(s string) time.Time {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, test := range []struct {
		zone, starts, ends string
		want               notifier.Window
	}{
		{"Asia/Tokyo", "2026-12-01T09:00", "2026-12-02T09:30", notifier.Window{StartsAt: at("2026-12-01T00:00:00Z"), EndsAt: at("2026-12-02T00:30:00Z")}},
		{"America/New_York", "2026-12-01T09:00:30", "", notifier.Window{StartsAt: at("2026-12-01T14:00:30Z")}},
		{"", "2026-12-01T09:00", "2026-12-02 09:30", notifier.Window{StartsAt: at("2026-12-01T09:00:00Z"), EndsAt: at("2026-12-02T09:30:00Z")}},
		{"Asia/Tokyo", " 2026-12-01T09:00:00.250+01:00 ", "2026-12-02T00:00:00Z", notifier.Window{StartsAt: at("2026-12-01T08:00:00.250Z"), EndsAt: at("2026-12-02T00:00:00Z")}},
		{"Asia/Tokyo", "", "", notifier.Window{}},
	} {
		sent = nil
		fields := append(append([]string{}, audienceForm...), "starts_at", test.starts, "ends_at", test.ends)
		w.postAs([]string{"Cookie", "tz=" + test.zone}, "/staff/send", fields...).wantRedirect(t, "/staff/notices/42")
		if len(sent) != 1 || !sent[0].StartsAt.Equal(test.want.StartsAt) || !sent[0].EndsAt.Equal(test.want.EndsAt) {
			t.Errorf("%s %q to %q: sent %+v", test.zone, test.starts, test.ends, sent)
		}
	}
}

func TestAnnouncementFieldsApplyOnlyToAnnouncements(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	window := []string{"starts_at", "2026-12-01T09:00", "ends_at", "not at all", "pinned", "1", "late_joiners", "1"}
	w.post("carol", "/staff/send", append(append([]string{}, goodForm...), window...)...).wantRedirect(t, "/staff/notices/42")
	w.post("carol", "/staff/send", append(with(audienceForm, "to", "user"), with(window, "ends_at", "")...)...).wantRedirect(t, "/staff/notices/42")
	want := []notifier.Window{{}, {StartsAt: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), Pinned: true, LateJoiners: true}}
	if len(sent) != 2 {
		t.Fatalf("sent %+v", sent)
	}
	if diff := cmp.Diff(want, []notifier.Window{sent[0].Window, sent[1].Window}); diff != "" {
		t.Error(diff)
	}
}

func TestWindowErrorsAreBesideTheirFieldsAndTheTextIsKept(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	w.sender.count = func(d notifier.Draft) (int64, error) { return 2, d.Validate(notifier.Limits{Now: noon}) }
	for _, test := range []struct{ field, value, fault string }{
		{"starts_at", "soon", "Enter a date and a time."},
		{"starts_at", "2026-12-01", "Enter a date and a time."},
		{"starts_at", "2026-13-01T09:00", "Enter a date and a time."},
		{"ends_at", "2026-12-01T25:00", "Enter a date and a time."},
		{"pinned", "2", "Choose on or off."},
		{"late_joiners", "yes", "Choose on or off."},
		{"ends_at", "2026-11-20T20:59", "This time has already passed."},
		{"ends_at", "2026-11-21T09:00", "Must close after it opens."},
		{"starts_at", "2027-11-21T09:00", "Must open within 180 days from now."},
		{"ends_at", "2027-11-21T09:00", "Announcements are open for at most 180 days."},
	} {
		fields := with(append(append([]string{}, audienceForm...), "starts_at", "2026-11-21T10:00", "pinned", "1"), test.field, test.value)
		r := w.postAs(inTokyo, "/staff/send", fields...).wantStatus(t, http.StatusUnprocessableEntity)
		control := strings.Replace(test.field, "pinned", "is_pinned", 1)
		r.wantText(t, "#"+control+"-fault[data-field="+control+"]", test.fault)
		if n := r.count(".fault"); n != 1 {
			t.Errorf("%s %q: %d faults", test.field, test.value, n)
		}
		if got := r.text("[data-testid=faults] a[href='#" + control + "']"); !strings.HasSuffix(got, ": "+test.fault) {
			t.Errorf("%s %q: the list says %q", test.field, test.value, got)
		}
		if strings.HasSuffix(test.field, "_at") && r.attr("#"+test.field, "value") != test.value || r.attr("#title", "value") != "Hello" ||
			(r.count("[name=pinned][checked]") == 1) != (test.field != "pinned") || r.count("#late_joiners[checked]") != 0 {
			t.Errorf("%s %q: the typed value is lost", test.field, test.value)
		}
	}
	if len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestTimeSkippedByDaylightSavingIsAnError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, at string
		skipped  bool
	}{
		{"Europe/Berlin", "2027-03-28T02:30", true},
		{"Europe/Berlin", "2027-03-28 02:00:00", true},
		{"Europe/Berlin", "2027-03-28T03:00", false},
		{"Europe/Berlin", "2027-03-28T02:30:00+01:00", false},
		{"Europe/Berlin", "2026-10-25T02:30", false}, // it occurs twice
		{"America/New_York", "2027-03-14T02:30", true},
		{"America/New_York", "2027-03-14T01:59:59.999", false},
		{"Asia/Tokyo", "2027-03-28T02:30", false},
		{"", "2027-03-28T02:30", false},
	} {
		var sent []notifier.Draft
		w := sendWorld(t, 2, &sent)
		for _, field := range []string{"starts_at", "ends_at"} {
			fields := append(append([]string{}, audienceForm...), field, test.at)
			r := w.postAs([]string{"Cookie", "tz=" + test.zone}, "/staff/send", fields...)
			if !test.skipped {
				r.wantRedirect(t, "/staff/notices/42")
				continue
			}
			r.wantStatus(t, http.StatusUnprocessableEntity)
			r.wantText(t, "#"+field+"-fault", "The clocks go forward and skip this time. Choose another.")
		}
		if test.skipped && len(sent) > 0 {
			t.Errorf("%s %s: sent %+v", test.zone, test.at, sent)
		}
	}
}

func TestCheckboxAcceptsBrowserValuesOnly(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	for _, test := range []struct {
		value        string
		ticked, sane bool
	}{{"1", true, true}, {"on", true, true}, {"0", false, true}, {"", false, true}, {"2", false, false}, {"off", false, false}, {" 1", false, false}, {"ON", false, false}} {
		sent = nil
		boxes := append(append([]string{}, audienceForm...), "pinned", test.value, "late_joiners", test.value, "toast", test.value)
		r := w.post("carol", "/staff/send", boxes...)
		if !test.sane {
			r.wantStatus(t, http.StatusUnprocessableEntity)
			if n := r.count("[data-testid=faults] li"); n != 3 || len(sent) > 0 {
				t.Errorf("%q: %d faults in the list, sent %v", test.value, n, sent)
			}
		} else if len(sent) != 1 || sent[0].Pinned != test.ticked || sent[0].LateJoiners != test.ticked || sent[0].Toast != test.ticked {
			t.Errorf("%q: sent %+v", test.value, sent)
		}
		// An invalid preview value must not send a notice that was only to be previewed.
		sent = nil
		r = w.post("carol", "/staff/send", append(append([]string{}, audienceForm...), "preview", test.value)...)
		if looked := r.count("[data-testid=preview]") == 1; looked != test.ticked || (len(sent) == 1) != (test.sane && !test.ticked) {
			t.Errorf("preview=%q: previewed %v, sent %v", test.value, looked, sent)
		}
	}
	if r := w.live(nil, with(audienceForm, "pinned", "2")...); r.text("#is_pinned-fault") != "Choose on or off." {
		t.Errorf("while typing the error is %q", r.text("#is_pinned-fault"))
	}
}

func TestTooManyOpenAnnouncementsNamesThoseThatCouldBeClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.sender.send = func(notifier.Draft) (notifier.Notice, error) {
			var bad notifier.InvalidError
			bad.Add("starts_at", notifier.CodeTooManyOpen, map[string]any{
				"Audience": notifier.Audience(3), "Max": notifier.MaxOpen, "Titles": "24h, <b>sale</b>",
			})
			return notifier.Notice{}, &bad
		}
	})
	r := w.post("carol", "/staff/send", audienceForm...).wantStatus(t, http.StatusUnprocessableEntity)
	r.wantText(t, "#starts_at-fault",
		"At most 64 announcements can be open at once for Customer. Close one of these first: 24h, <b>sale</b>.")
	if r.text("#body") != "**Now**" {
		t.Error("the text is lost")
	}
}

func TestAnnouncementToManyIsConfirmed(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 1203, &sent)
	r := w.post("carol", "/staff/send", append(audienceForm, "pinned", "1")...).wantStatus(t, http.StatusUnprocessableEntity)
	if r.attr("[data-testid=confirm] button[name=confirm]", "value") != "1203" || len(sent) > 0 {
		t.Errorf("no confirmation is asked, or it was sent: %v", sent)
	}
	if r.attr("[name=target][checked]", "value") != "audience" || r.count("[name=pinned][checked]") != 1 {
		t.Error("the form lost its target or the pinned box")
	}
	w.post("carol", "/staff/send", append(audienceForm, "confirm", "1203")...).wantRedirect(t, "/staff/notices/42")
	if len(sent) != 1 || len(w.audit.entries) != 1 || w.audit.entries[0].Action != "notice.send" {
		t.Errorf("sent %v, audit log %v", sent, w.audit.entries)
	}
}

func TestPreviewShowsWhenAnAnnouncementOpensAndCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.sender.count = func(notifier.Draft) (int64, error) { return 1203, nil } })
	for _, test := range []struct{ lang, starts, ends, life, want string }{
		{"en", "", "", "", "Starts at once and ends on 4 December 2026, 21:00."},
		{"en", "", "", "24h", "Starts at once and ends on 21 November 2026, 21:00."},
		{"en", "2026-11-20T08:00", "2026-11-30T18:00", "", "Starts at once and ends on 30 November 2026, 18:00."},
		{"en", "2026-12-01T09:00", "2026-12-08T18:00", "", "Starts on 1 December 2026, 09:00 and ends on 8 December 2026, 18:00."},
		{"ja", "2026-12-01T09:00", "", "24h", "2026年12月1日 09:00に公開され、2026年12月2日 09:00に終了します。"},
		{"zh", "2026-12-01T09:00", "", "24h", "2026年12月1日 09:00 发布，2026年12月2日 09:00 结束。"},
		{"en", "2026-12-01T09:00", "2026-12-01T09:00", "", ""},
		{"en", "", "2026-11-01T09:00", "", ""},
	} {
		fields := append(append([]string{}, audienceForm...), "starts_at", test.starts, "ends_at", test.ends, "expires_in", test.life)
		headers := append([]string{"Accept-Language", test.lang}, inTokyo...)
		r := w.live(headers, fields...).wantStatus(t, http.StatusOK)
		r.wantText(t, "#preview [data-testid=schedule]", test.want)
		if test.lang == "en" {
			r.wantText(t, "[data-testid=recipients]", "1,203 people will get it.")
		}
		r = w.postAs(headers, "/staff/send", append(fields, "preview", "1")...)
		r.wantText(t, "#preview [data-testid=schedule]", test.want)
	}
	if w.live(nil, goodForm...).count("[data-testid=schedule]") != 0 {
		t.Error("a notice to users has a schedule")
	}
}

func TestAddressCanSelectTheAnnouncementForm(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1, &[]notifier.Draft{})
	w.haveAudiences()
	r := w.get("carol", "/staff/send?target=audience&to=customer", inTokyo...).wantStatus(t, http.StatusOK)
	r.wantText(t, "#to", "")
	if got := r.chosen("#to_audience [checked]"); !cmp.Equal(got, []string{"customer"}) {
		t.Errorf("the boxes of %q are ticked", got)
	}
	if r.attr("[name=target][checked]", "value") != "audience" {
		t.Error("the target from the query is not chosen")
	}
	r.wantText(t, "#to_audience label", "Operator 4 people User 10 people Customer 1,203 people")
	r.wantText(t, "#to_audience legend", "Everyone in")
	r.wantText(t, "#ends_at-hint", "Leave empty to end it after 14 days.")
	if !strings.Contains(r.text(".parts.for-audience .pair > .hint"), "Asia/Tokyo") {
		t.Errorf("the zone is shown as %q", r.text(".parts.for-audience .pair > .hint"))
	}
	for id, kind := range map[string]string{"starts_at": "datetime-local", "ends_at": "datetime-local", "is_pinned": "checkbox", "late_joiners": "checkbox"} {
		if r.attr("#"+id, "type") != kind || r.attr("#"+id, "name") != strings.TrimPrefix(id, "is_") {
			t.Errorf("%s is a field of type %q", id, r.attr("#"+id, "type"))
		}
	}
}

func TestAudienceNamesAreSuggested(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.haveAudiences()
	const icon = `,"icon":"megaphone","tint":"gray"}`
	for _, test := range []struct{ q, lang, want string }{
		{"", "en", `{"names":[{"name":"Operator","note":"4 people"` + icon + `,{"name":"User","note":"10 people"` + icon + `,{"name":"Customer","note":"1,203 people"` + icon + `]}`},
		{"CUST", "ja", `{"names":[{"name":"顧客","note":"1,203人"` + icon + `]}`},
		{"客", "zh", `{"names":[{"name":"客户","note":"1,203 人"` + icon + `]}`},
		{"x", "en", `{"names":[]}`},
	} {
		r := w.get("carol", "/staff/names?target=audience&q="+url.QueryEscape(test.q), "Accept-Language", test.lang)
		if diff := cmp.Diff(test.want+"\n", r.body); diff != "" {
			t.Errorf("%q: %s", test.q, diff)
		}
	}
	w.get("alice", "/staff/names?target=audience").wantStatus(t, http.StatusNotFound)
}

func TestPreviewOfAnAnnouncementShowsWhatReadersSee(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	form := with(audienceForm, "body", "**Sale**\n\n<script>alert(1)</script> [here](/sale) [there](javascript:x)")
	form = append(form, "pinned", "1", "link", "/sale")
	for _, r := range []reply{w.live(inTokyo, form...), w.postAs(inTokyo, "/staff/send", append(form, "preview", "1")...)} {
		r.wantText(t, "#preview [data-testid=card] h3", "Hello")
		r.wantText(t, "#preview .prose strong", "Sale")
		if got := r.text("#preview [data-testid=card] .meta"); !strings.Contains(got, "Pinned") || !strings.Contains(got, "21:00 · until 4 Dec") {
			t.Errorf("the text around it is %q", got)
		}
		if r.count("#preview script") > 0 || r.count("#preview .prose a") != 1 || r.attr("#preview a.button", "href") != "/sale" {
			t.Errorf("the preview is %s", r.body)
		}
	}
	r := w.live(nil, "target", "audience", "body", "Text without a title")
	if r.count("#preview [data-testid=card]") > 0 || r.count("#preview .unseen") != 1 {
		t.Error("a preview without a title is shown")
	}
}
