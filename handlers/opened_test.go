package handlers_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/notifier"
)

// linkMaker returns the tests' maker of links.
func linkMaker() *links.Maker {
	m, err := links.New("http://example.com", [][]byte{bytes.Repeat([]byte{1}, 32)})
	if err != nil {
		panic(err)
	}
	return m
}

func TestTheSettingsOfAMailOpenByItsTokenAndShowOnlyMail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.config.Mailing = true })
	w.haveTypes(notifier.NoticeType{Slug: "order"})
	w.prefer(notifier.PutPreferences{Types: map[string]notifier.TypeWants{"order": {Inbox: new(bool)}}})
	before, link := w.preferences(), "/u/"+w.mailToken()+"/settings"
	page := w.get("", link).wantStatus(t, http.StatusOK)
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Robots-Tag": "noindex"} {
		if got := page.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if text := page.page.Text(); strings.Contains(text, "alice@example.com") || !strings.Contains(text, "a…@example.com") {
		t.Errorf("the address is not masked: %s", text)
	}
	if got := page.attr("main form", "action"); got != link {
		t.Errorf("the form posts to %q", got)
	}
	if n := page.page.Find("[name=push], [name$=Inbox], [name$=Devices]").Length(); n > 0 {
		t.Errorf("%d fields have nothing to do with mail", n)
	}
	// Browsers send the origin "null" from a page without a referrer.
	r := w.postBody("", link, "mail=off&type=order&push=off", "Origin", "null").wantStatus(t, http.StatusSeeOther)
	if to := r.Header.Get("Location"); to != link+"?done=saved" {
		t.Fatalf("saving leads to %q", to)
	}
	after := w.preferences()
	if !after.Mail.Off || after.Push != before.Push || after.Types["order"].Inbox == nil {
		t.Errorf("it saved %+v", after)
	}
	w.postBody("", link, "mail=sometimes").wantStatus(t, http.StatusUnprocessableEntity)
	w.postBody("", "/u/x/settings", "mail=off").wantStatus(t, http.StatusNotFound)
	w.get("", "/u/x/settings").wantStatus(t, http.StatusNotFound)
	if diff := cmp.Diff(after, w.preferences()); diff != "" {
		t.Error(diff)
	}
}

func TestTheSettingsOfAMailLeadToThoseOfItsApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.readsAt(notifier.AppPlaces{SettingsURL: "https://shop.example/me"})
	if to := w.get("", "/u/"+w.mailToken()+"/settings").wantStatus(t, http.StatusSeeOther).Header.Get("Location"); to != "https://shop.example/me" {
		t.Errorf("they lead to %q", to)
	}
}

// awayLinks returns links for alice, who cannot sign in here.
func awayLinks() links.Links { return linkMaker().For(links.Reader{Seq: alice.Seq, Away: true}) }

// path returns a link without its host.
func path(link string) string { return strings.TrimPrefix(link, "http://example.com") }

func TestALinkOfAMailMarksReadWithoutASessionAndLeadsToTheApp(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	w.readsAt(notifier.AppPlaces{Base: "https://shop.example"})
	r := w.get("", path(awayLinks().Notice(1))).wantStatus(t, http.StatusSeeOther)
	if to := r.Header.Get("Location"); to != "https://shop.example/photos/1" || strings.Join(did, ",") != "follow like:photo:1" {
		t.Errorf("it leads to %q and did %q", to, did)
	}
	if r.Header.Get("Referrer-Policy") != "no-referrer" || r.Header.Get("Cache-Control") != "no-store" || len(r.Cookies()) > 0 {
		t.Errorf("its headers are %v", r.Header)
	}
	if to := w.get("", path(awayLinks().Action(2, 1))).wantStatus(t, http.StatusSeeOther).Header.Get("Location"); to != "https://shop.example/prs/7" || did[len(did)-1] != "follow like:photo:2" {
		t.Errorf("its button leads to %q and did %q", to, did)
	}
	did = nil
	for _, number := range []string{"", "0", "3", "x", "-1"} {
		w.get("", path(awayLinks().Notice(1))+"?a="+number).wantStatus(t, http.StatusNotFound)
	}
	for link, want := range map[string]string{
		awayLinks().Action(1, 2): "https://shop.example/later",
		awayLinks().Inbox():      "https://shop.example/",
		awayLinks().Notice(10):   "https://shop.example/", // deleted
		awayLinks().Notice(3):    "https://shop.example/photos/1",
	} {
		if to := w.get("", path(link)).wantStatus(t, http.StatusSeeOther).Header.Get("Location"); to != want {
			t.Errorf("%s leads to %q, want %q", link, to, want)
		}
	}
	if did = slices.DeleteFunc(did, func(d string) bool { return d == "follow like:photo:1" }); len(did) > 0 { // by its button
		t.Errorf("a replaced or deleted notice: %q", did)
	}
}

// Links are checked when a notice is accepted, but stored ones may be older than that check.
func TestALinkOfAMailLeadsNowhereButToItsNoticeOrItsApp(t *testing.T) {
	t.Parallel()
	const app, elsewhere = "https://shop.example/app", "https://news.example/3?a=b#c"
	for link, want := range map[string]string{
		"/photos/1": app + "/photos/1", "/a?to=//eve.example": app + "/a?to=//eve.example", "/@eve.example": app + "/@eve.example", "/../x": app + "/../x", elsewhere: elsewhere,
		"": app + "/", "//eve.example": app + "/", `/\eve.example`: app + "/", "@eve.example": app + "/", ".eve.example/": app + "/", "javascript:alert(1)": app + "/",
		"data:text/html,x": app + "/", "http://eve.example": app + "/", "https:eve.example": app + "/", "https://shop.example@eve.example/": app + "/",
	} {
		var did []string
		w := followWorld(t, &did)
		w.readsAt(notifier.AppPlaces{Base: app})
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			e := entry(int(id), noon, false, false)
			e.Link = link
			return sentAs(&e), nil
		}
		w.rebuild()
		r := w.get("", path(awayLinks().Notice(1))+"?to=https://eve.example", "X-Forwarded-Host", "eve.example").wantStatus(t, http.StatusSeeOther)
		if to := r.Header.Get("Location"); to != want {
			t.Errorf("%q leads to %q, want %q", link, to, want)
		}
	}
}

func TestAForgedLinkOfAMailIsNotFoundAndChangesNothing(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	w.readsAt(notifier.AppPlaces{Base: "https://shop.example"})
	good := path(awayLinks().Notice(1))
	other := path(linkMaker().For(links.Reader{Seq: alice.Seq + 90, Away: true}).Notice(1))
	swapped := other[:len(other)-20] + good[len(good)-20:]
	foreign, err := links.New("http://example.com", [][]byte{bytes.Repeat([]byte{2}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{
		good[:len(good)-1], good + "A", good + "?to=https://eve.example", swapped, other, "/o/", "/o/AAAA", "/o/" + strings.Repeat("A", 4000),
		path(foreign.For(links.Reader{Seq: alice.Seq, Away: true}).Notice(1)),
	} {
		if strings.Contains(p, "?") {
			if to := w.get("", p).Header.Get("Location"); to != "https://shop.example/photos/1" {
				t.Errorf("a query leads to %q", to)
			}
			did = nil
			continue
		}
		w.get("", p).wantStatus(t, http.StatusNotFound)
	}
	if len(did) > 0 {
		t.Errorf("forged links did %q", did)
	}
}

// Mail scanners fetch links before anyone has read the mail; docs/reach.md describes their requests.
func TestAScannerOfMailsMarksNothingRead(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	link := path(awayLinks().Notice(1))
	person := []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-User", "?1"}
	w.do(httptest.NewRequest(http.MethodHead, link, nil), "").wantStatus(t, http.StatusSeeOther)
	w.get("", link, append(person, "Sec-Purpose", "prefetch;prerender")...)
	w.get("", link, append(person, "Purpose", "prefetch")...)
	w.get("", link, "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image")
	w.get("", link, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe")
	w.config.PublicURL = "https://bell.example.com"
	w.rebuild()
	w.get("", link) // over https, every browser sends Sec-Fetch-Mode: navigate
	w.get("", link, "User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "Accept", "text/html")
	if len(did) > 0 {
		t.Fatalf("scanners did %q", did)
	}
	w.get("", link, person...).wantStatus(t, http.StatusSeeOther)
	if strings.Join(did, ",") != "follow like:photo:1" {
		t.Errorf("a person did %q", did)
	}
}

func TestALinkOfAMailWithoutAPageOfItsAppShowsAMessage(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	w.readsAt(notifier.AppPlaces{})
	p := w.get("", path(awayLinks().Notice(1))).wantStatus(t, http.StatusOK)
	if len(did) != 1 || strings.Contains(p.body, "photo") || p.page.Find("main a").Length() > 0 {
		t.Errorf("it did %q and shows %s", did, p.page.Find("main").Text())
	}
	w = followWorld(t, &did) // here alice signs in with Carillon
	if to := w.get("", path(awayLinks().Notice(2))).Header.Get("Location"); to != "/inbox" && to != "/n/2" {
		t.Errorf("who can sign in by now is led to %q", to)
	}
}
