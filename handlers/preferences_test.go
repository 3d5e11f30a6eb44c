package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// preferring returns a world with three types, in which alice has these preferences.
func preferring(t *testing.T, set notifier.PutPreferences) *world {
	t.Helper()
	w := newWorld(t, func(w *world) {
		w.config.Mailing, w.config.Devices = true, &devices{}
	})
	w.haveTypes(
		notifier.NoticeType{Slug: "alarm", Names: map[string]string{"en": "Alarm"}, NoMute: true}, notifier.NoticeType{Slug: "like", NoMail: true}, notifier.NoticeType{Slug: "news"},
	)
	w.prefer(set)
	return w
}

// prefer sets alice's preferences.
func (d *databases) prefer(set notifier.PutPreferences) {
	d.t.Helper()
	if _, err := d.people.SetPreferences(d.t.Context(), byStaff, alice.Name, set); err != nil {
		d.t.Fatal(err)
	}
}

// preferences returns alice's preferences.
func (d *databases) preferences() notifier.Preferences {
	d.t.Helper()
	has, err := d.people.Preferences(d.t.Context(), alice.Name)
	if err != nil {
		d.t.Fatal(err)
	}
	return has
}

func TestThePreferencesShowWhatHolds(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	w := preferring(t, notifier.PutPreferences{
		Mail: &notifier.When{Daily: true}, MailAt: new(18*60 + 30), SetQuiet: true, Quiet: &notifier.Quiet{From: 22 * 60, To: 7 * 60}, Zone: new("Asia/Tokyo"), PausedUntil: new(noon.Add(time.Hour)),
		Types: map[string]notifier.TypeWants{"news": {Inbox: &no, Mail: &no}, "like": {Mail: &yes}},
	})
	r := w.get("alice", "/settings").wantStatus(t, http.StatusOK)
	got := []string{
		r.attr("#mail option[selected]", "value"), r.attr("#mail_at", "value"), r.attr("#push option[selected]", "value"), r.attr("#quiet_from", "value"), r.attr("#quiet_to", "value"),
		r.attr("select[name=zone] option[selected]", "value"),
	}
	if diff := cmp.Diff([]string{"daily", "18:30", "0s", "22:00", "07:00", "Asia/Tokyo"}, got); diff != "" {
		t.Error(diff)
	}
	var boxes []string
	for _, s := range r.page.Find("[data-testid=wants] input[type=checkbox]").EachIter() {
		_, on := s.Attr("checked")
		_, locked := s.Attr("disabled")
		if way, _, _ := strings.Cut(s.AttrOr("name", ""), ": "); !strings.EqualFold(way, strings.Split(s.AttrOr("aria-label", ""), ": ")[0]) {
			t.Errorf("%s is named %s", s.AttrOr("aria-label", ""), s.AttrOr("name", ""))
		}
		boxes = append(boxes, s.AttrOr("aria-label", "")+map[bool]string{true: " on"}[on]+map[bool]string{true: " locked"}[locked])
	}
	want := []string{
		"Alarm: Inbox on locked", "Alarm: Devices on", "Alarm: Email on", "like: Inbox on", "like: Devices on", "like: Email on", "news: Inbox", "news: Devices on", "news: Email",
	}
	if diff := cmp.Diff(want, boxes); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{"/settings", "/inbox", "/announcements"} {
		r := w.get("alice", path).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=paused] p", "Paused until 20 November 2026, 13:00 UTC.")
		if r.attr("form[data-testid=paused]", "action") != "/settings/pause" || r.attr("[data-testid=paused] [name=for]", "value") != "off" {
			t.Errorf("%s cannot end the pause: %s", path, r.text("[data-testid=paused]"))
		}
	}
}

func TestThePageSaysThatMailsDoNotArrive(t *testing.T) {
	t.Parallel()
	for state, want := range map[notifier.ReachState]string{
		notifier.ReachOn: "", notifier.ReachOff: "", notifier.ReachDead: "Emails to your address came back", notifier.ReachFailing: "Your last email could not be delivered yet.",
	} {
		w := preferring(t, notifier.PutPreferences{})
		w.mailState(state)
		if got := w.get("alice", "/settings").wantStatus(t, http.StatusOK).text("[data-testid=address-fault]"); !strings.HasPrefix(strings.TrimSpace(got), want) || want == "" && got != "" {
			t.Errorf("%s: %q", state, got)
		}
	}
}

func TestAPauseThatIsOverIsNotMentioned(t *testing.T) {
	t.Parallel()
	w := preferring(t, notifier.PutPreferences{PausedUntil: new(noon)})
	if r := w.get("alice", "/inbox").wantStatus(t, http.StatusOK); r.page.Find("[data-testid=paused]").Length() > 0 {
		t.Error("it is")
	}
}

func TestTheFormOfThePreferencesStoresChoicesAndNoDefaults(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	w := preferring(t, notifier.PutPreferences{Types: map[string]notifier.TypeWants{"gone": {Mail: &yes}}})
	body := url.Values{
		"mail": {"30m"}, "mail_at": {"08:00"}, "push": {"off"}, "quiet_from": {"22:00"}, "quiet_to": {"07:00"}, "zone": {"Asia/Tokyo"}, "type": {"alarm", "like", "news"},
		"like: Inbox": {"1"}, "alarm: Devices": {"1"}, "like: Devices": {"1"}, "news: Devices": {"1"}, "like: Mail": {"1"}, "news: Mail": {"1"},
	}
	w.postBody("alice", "/settings/preferences", body.Encode()).wantRedirect(t, "/settings?done=saved")
	want := notifier.Preferences{
		Mail: notifier.When{Wait: 30 * time.Minute}, MailChosen: true, MailAt: 480, Push: notifier.When{Off: true}, Quiet: &notifier.Quiet{From: 22 * 60, To: 7 * 60},
		Zone: "Asia/Tokyo", InForce: "Asia/Tokyo", ZoneFrom: notifier.ZoneChosen,
		Types: map[string]notifier.TypeWants{"gone": {Mail: &yes}, "alarm": {Mail: &no}, "like": {Mail: &yes}, "news": {Inbox: &no}},
	}
	if diff := cmp.Diff(want, w.preferences()); diff != "" {
		t.Error(diff)
	}
}

func TestATypeThatWasDeletedSinceThePageWasShownIsLeftOut(t *testing.T) {
	t.Parallel()
	no := false
	w := preferring(t, notifier.PutPreferences{})
	want := w.preferences()
	want.Types = map[string]notifier.TypeWants{"news": {Inbox: &no}}
	w.postBody("alice", "/settings/preferences", "quiet_from=&quiet_to=&type=gone&gone:+Inbox=1&gone:+Mail=1&type=news&news:+Devices=1&news:+Mail=1").wantRedirect(t, "/settings?done=saved")
	if diff := cmp.Diff(want, w.preferences()); diff != "" {
		t.Error(diff)
	}
	w.postBody("alice", "/settings/preferences", "quiet_from=&quiet_to=&other:+Inbox=1").wantStatus(t, http.StatusUnprocessableEntity)
}

func TestAFaultyFormOfThePreferencesIsShownAgain(t *testing.T) {
	t.Parallel()
	w := preferring(t, notifier.PutPreferences{})
	before := w.preferences()
	r := w.postBody("alice", "/settings/preferences", "mail=1h&push=soon&quiet_from=22:00&quiet_to=&zone=Asia/Tokyo&type=alarm&type=news&news:+Mail=1").wantStatus(t, http.StatusUnprocessableEntity)
	if n := r.page.Find("[data-testid=preferences-fault] p").Length(); n != 2 || !cmp.Equal(w.preferences(), before) {
		t.Errorf("%d faults, stored %+v: %s", n, w.preferences(), r.text("[data-testid=preferences-fault]"))
	}
	got := []string{r.attr("#mail option[selected]", "value"), r.attr("#quiet_from", "value"), r.attr("select[name=zone] option[selected]", "value")}
	if diff := cmp.Diff([]string{"1h", "22:00", "Asia/Tokyo"}, got); diff != "" {
		t.Error(diff)
	}
	var ticked []string
	for _, s := range r.page.Find("[data-testid=wants] [checked]").EachIter() {
		ticked = append(ticked, s.AttrOr("name", ""))
	}
	if diff := cmp.Diff([]string{"alarm: Inbox", "like: Inbox", "like: Devices", "news: Mail"}, ticked); diff != "" {
		t.Error(diff)
	}
	if r := w.postBody("alice", "/settings/preferences", strings.Repeat("type=a&", 2000)); r.StatusCode != http.StatusUnprocessableEntity || !cmp.Equal(w.preferences(), before) {
		t.Errorf("too many types: %d", r.StatusCode)
	}
}

func TestPausing(t *testing.T) {
	t.Parallel()
	w := preferring(t, notifier.PutPreferences{})
	var got []string
	for _, body := range []string{"for=1h", "for=tomorrow", "for=monday", "for=until&until=2031-01-01T10:00", "for=off"} {
		w.postBody("alice", "/settings/pause", body).wantRedirect(t, "/settings?done=saved")
		got = append(got, w.preferences().PausedUntil.UTC().Format("Mon 2006-01-02 15:04"))
	}
	for _, body := range []string{"for=until&until=", "for=until&until=2001-01-01T10:00", "for=until&until=x", "for=ever"} {
		w.postBody("alice", "/settings/pause", body).wantStatus(t, http.StatusUnprocessableEntity).wantText(t, "h1", "Settings")
		if until := w.preferences().PausedUntil; !until.IsZero() {
			t.Errorf("%s pauses until %v", body, until)
		}
	}
	y, m, d := noon.UTC().Date()
	tomorrow := time.Date(y, m, d+1, 9, 0, 0, 0, time.UTC)
	monday := tomorrow
	for monday.Weekday() != time.Monday {
		monday = monday.AddDate(0, 0, 1)
	}
	const form = "Mon 2006-01-02 15:04"
	want := []string{noon.UTC().Add(time.Hour).Format(form), tomorrow.Format(form), monday.Format(form), "Wed 2031-01-01 10:00", "Mon 0001-01-01 00:00"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutMailAndPushThereAreNoPreferences(t *testing.T) {
	t.Parallel()
	if r := newWorld(t, nil).get("alice", "/settings").wantStatus(t, http.StatusOK); r.page.Find("[data-testid=preferences]").Length() > 0 {
		t.Error("the settings contain preferences without a channel")
	}
}

func TestSettingsMentionOnlyAvailableChannels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		mail, push bool
		never      string // words that must not appear, in each language
	}{
		{false, true, `(?i)mail|メール|邮件`}, {true, false, `(?i)device|push|デバイス|プッシュ|设备|推送`}, {false, false, `(?i)mail|device|push|メール|デバイス|邮件|设备|推送`},
	} {
		w := preferring(t, notifier.PutPreferences{})
		if w.config.Mailing = test.mail; !test.push {
			w.config.Devices = nil
		}
		w.rebuild()
		for _, lang := range []string{"en", "ja", "zh-Hans", "zh-Hant"} {
			r := w.get("alice", "/settings", "Accept-Language", lang).wantStatus(t, http.StatusOK)
			if found := regexp.MustCompile(test.never).FindAllString(r.text("main"), -1); len(found) > 0 || !strings.HasPrefix(r.attr("html", "lang"), lang) {
				t.Errorf("mail %t, push %t: the page in %s says %q", test.mail, test.push, lang, found)
			}
		}
	}
}
