package handlers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestTypesAreFoundBySlugAndName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for n := range 60 {
		o.haveTypes(notifier.NoticeType{Slug: fmt.Sprintf("type%02d", n)})
	}
	o.haveTypes(notifier.NoticeType{Slug: "type07", Names: map[string]string{"en": "Seventh <b>", "ja": "七番目"}})
	slugs := func(r reply) string {
		var found []string
		for _, e := range r.page.Find("[data-testid=type] th a").EachIter() {
			found = append(found, e.Text())
		}
		return strings.Join(found, " ")
	}
	for address, want := range map[string]string{
		"?q=SEVENTH": "Seventh <b>", "?q=type07": "Seventh <b>", "?q=zzz": "", "?after=type57": "type58 type59", "?sort=-type&after=type02": "type01 type00",
	} {
		if got := slugs(o.get("carol", "/staff/types"+address).wantStatus(t, http.StatusOK)); got != want {
			t.Errorf("%s finds %q, want %q", address, got, want)
		}
	}
	if got := slugs(o.get("carol", "/staff/types?q=七", "Accept-Language", "ja")); got != "七番目" {
		t.Errorf("in Japanese the search finds %q", got)
	}
	r := o.get("carol", "/staff/types?q=type")
	if r.count("[data-testid=type]") != 50 || r.attr("a[rel=next]", "href") != "/staff/types?after=type49&q=type" {
		t.Errorf("%d types, and then %q", r.count("[data-testid=type]"), r.attr("a[rel=next]", "href"))
	}
	if diff := cmp.Diff("ascending /staff/types?q=type&sort=-type", heads(r)["Category"]); diff != "" {
		t.Error(diff)
	}
}

func TestTypeListShowsWhatUsersMayDo(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveTypes(notifier.NoticeType{Slug: "a", NoMute: true, ExpiresIn: 72 * time.Hour}, notifier.NoticeType{Slug: "b", Open: true})
	r := o.get("carol", "/staff/types")
	r.wantText(t, "[data-testid=type]:nth-child(1) td:nth-child(2)", "3 days")
	r.wantText(t, "[data-testid=type]:nth-child(1) .chip", "")
	r.wantText(t, "[data-testid=type]:nth-child(2) td:nth-child(2)", "Default")
	r.wantText(t, "[data-testid=type]:nth-child(2) td[data-label='People can']", "mute, follow")
	if got := r.page.Find("thead th .sr-only").Text(); got != "Action" {
		t.Errorf("the head of the links shows %q", r.text("thead th:last-child"))
	}
	r.wantText(t, ".list-head a.primary", "New category")
	if got := r.attr("[data-testid=type] td a", "href"); got != "/staff/subscriptions?type=a" {
		t.Errorf("its subscriptions link is %q", got)
	}
}

func TestSavedTypeIsShownAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const path = "/staff/types"
	o.post("carol", path, "action", "add", "slug", "rep_notice", "names.en", " Replenishment ", "names.ja", "補充", "names.zh-Hans", " ",
		"icon", "truck", "color", "pink", "expires_in", "36h", "no_mute", "1", "open", "1").wantRedirect(t, path+"?done=type-saved")
	want := []notifier.NoticeType{{
		Slug: "rep_notice", Names: map[string]string{"en": "Replenishment", "ja": "補充"}, ExpiresIn: 36 * time.Hour, NoMute: true, Open: true, Icon: "truck", Color: "pink", CreatedAt: noon,
	}}
	if diff := cmp.Diff(want, o.topics.Types()); diff != "" {
		t.Fatal(diff)
	}
	r := o.get("carol", o.get("carol", path).attr("[data-testid=type] th a", "href")).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=slug]", "rep_notice")
	if r.count(".other-names[open] #name-ja") != 1 || o.get("carol", path+"?type=").count(".other-names:not([open]) input") != 3 {
		t.Error("the names in other languages are not folded, or one that is filled in is")
	}
	if got := r.attr("[name=icon][checked]", "value") + " " + r.attr("[name=color][checked]", "value"); got != "truck pink" {
		t.Errorf("it looks like %q", got)
	}
	if r.attr("#name-ja", "value") != "補充" || r.attr("#name-zh-Hans", "value") != "" || r.count("#no_mute[checked]") != 1 || r.count("#open[checked]") != 1 {
		t.Errorf("the form differs from the saved type:\n%s", r.text("main"))
	}
	if got := r.text("#expires_in option[selected]") + " " + r.attr("#expires_in option[selected]", "value"); got != "36 hours 36h0m0s" {
		t.Errorf("its expiry is %q", got)
	}
	o.post("carol", path, "action", "save", "slug", "rep_notice", "expires_in", "24h").wantRedirect(t, path+"?done=type-saved")
	r = o.get("carol", path+"?type=rep_notice")
	if got := r.attr("#expires_in option[selected]", "value"); got != "24h" || r.count("[type=checkbox][checked]") != 0 || r.attr("#name-en", "value") != "" {
		t.Errorf("its expiry is %q:\n%s", got, r.text("main"))
	}
	if diff := cmp.Diff([]string{"carol type.save type rep_notice", "carol type.save type rep_notice"}, o.done()); diff != "" {
		t.Error(diff)
	}
	o.get("carol", path+"?type=unknown").wantStatus(t, http.StatusNotFound)
}

func TestInvalidTypeKeepsItsText(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveTypes(notifier.NoticeType{Slug: "like"})
	long := strings.Repeat("x", notifier.MaxTypeName+1)
	for _, test := range []struct {
		fields []string
		faults map[string]string
	}{
		{[]string{"action", "add"}, map[string]string{"slug": "Required."}},
		{[]string{"action", "add", "slug", "like"}, map[string]string{"slug": "The category like already exists."}},
		{[]string{"action", "add", "slug", "A <b>", "names.en", long, "names.ja", "a\u202eb", "expires_in", "soon", "no_mute", "maybe"}, map[string]string{
			"slug":       "Use only lower-case letters, digits and . _ - (at most 63), starting with a letter or digit.",
			"name-en":    "At most 80 characters; this has 81.",
			"name-ja":    "This contains an unsupported character (U+202E).",
			"expires_in": "Enter a time such as 30m or 72h.", "no_mute": "Choose on or off.",
		}},
		{[]string{"action", "save", "slug", "like", "expires_in", "9000h"}, map[string]string{"expires_in": "Notifications are kept for at most 180 days."}},
		{[]string{"action", "save", "slug", "like", "icon", "Truck", "color", "#f00"}, map[string]string{
			"icon":  "Choose one of: bell, message-circle, at-sign, heart, star, user-plus, calendar, clock, file-text, package, truck, receipt, megaphone, shield, server, triangle-alert.",
			"color": "Choose one of: amber, blue, green, red, purple, teal, pink, gray.",
		}},
		{[]string{"action", "save", "slug", "like", "expires_in", "-1h"}, map[string]string{"expires_in": "This time has already passed."}},
	} {
		r := o.post("carol", "/staff/types", test.fields...).wantStatus(t, http.StatusUnprocessableEntity)
		for _, id := range []string{"slug", "name-en", "name-ja", "name-zh-Hans", "name-zh-Hant", "icon", "color", "expires_in", "no_mute", "open"} {
			if got := r.text("#" + id + "-fault"); got != test.faults[id] {
				t.Errorf("%v: the error of %s is %q, want %q", test.fields, id, got, test.faults[id])
			}
		}
		for i := 0; i+1 < len(test.fields); i += 2 {
			name, typed := test.fields[i], test.fields[i+1]
			if !slices.Contains([]string{"no_mute", "icon", "color"}, name) && r.attr(`[type=hidden][name="`+name+`"], input[name="`+name+`"], [name="`+name+`"] [selected]`, "value") != typed {
				t.Errorf("%v: %s differs from the typed text", test.fields, name)
			}
		}
	}
	r := o.post("carol", "/staff/types", "slug", "new", "else", "1").wantStatus(t, http.StatusUnprocessableEntity)
	r.wantText(t, "[data-testid=error] p", "The form is invalid: a field is unknown or was sent twice.")
	o.post("carol", "/staff/types", "slug", "new", "action", "else").wantStatus(t, http.StatusUnprocessableEntity)
	if diff := cmp.Diff([]notifier.NoticeType{{Slug: "like", CreatedAt: noon}}, o.topics.Types()); diff != "" || len(o.done()) != 0 {
		t.Errorf("%s\naudit log: %v", diff, o.done())
	}
}

func TestTypeIsDeletedOnlyWithoutSubscribers(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveTypes(notifier.NoticeType{Slug: "like", Names: map[string]string{"en": "Likes"}})
	o.haveSubscriptions(subscription(1, "like", "", "bob", ""))
	form := o.get("carol", "/staff/types?type=like")
	r := o.submit("carol", form, "[data-testid=delete] form").wantStatus(t, http.StatusConflict)
	r.wantText(t, "[data-testid=in-use] p", "Not deleted: it has followers. See followers")
	if r.attr("[data-testid=in-use] a", "href") != "/staff/subscriptions?type=like" || r.attr("#name-en", "value") != "Likes" {
		t.Errorf("the page has changed:\n%s", r.text("main"))
	}
	if _, err := o.topics.Unsubscribe(t.Context(), notifier.Actor{}, subscription(1, "like", "", "bob", "")); err != nil {
		t.Fatal(err)
	}
	o.submit("carol", form, "[data-testid=delete] form").wantRedirect(t, "/staff/types?done=type-deleted")
	o.submit("carol", form, "[data-testid=delete] form").wantStatus(t, http.StatusNotFound)
	if diff := cmp.Diff([]string{"carol type.delete type like"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestUndescribedTypesAreDeletedTogether(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveTypes(notifier.NoticeType{Slug: "junk.1"}, notifier.NoticeType{Slug: "junk.2"}, notifier.NoticeType{Slug: "like", Names: map[string]string{"en": "Likes"}})
	page := o.get("carol", "/staff/types")
	page.wantText(t, "[data-testid=tidy] summary", "2 unused categories have no name, settings or followers")
	o.submit("carol", page, "[data-testid=tidy] form").wantRedirect(t, "/staff/types?done=types-tidied")
	page = o.get("carol", "/staff/types?done=types-tidied")
	page.wantText(t, "[data-testid=done] p", "Unused categories have been deleted.")
	if page.page.Find("[data-testid=tidy]").Length() != 0 {
		t.Error("nothing is left to delete, but it is offered")
	}
}

func TestATypeShowsItsNotificationDefaults(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const path = "/staff/types"
	o.config.Mailing = true
	o.rebuild()
	o.post("carol", path, "action", "add", "slug", "alarm", "expires_in", "24h", "urgent", "1", "mail", "0").wantRedirect(t, path+"?done=type-saved")
	want := []notifier.NoticeType{{Slug: "alarm", ExpiresIn: 24 * time.Hour, Urgent: true, NoMail: true, CreatedAt: noon}}
	if diff := cmp.Diff(want, o.topics.Types()); diff != "" {
		t.Fatal(diff)
	}
	r := o.get("carol", path+"?type=alarm")
	if r.count("#urgent[checked]") != 1 || r.attr("[name=mail][checked]", "value") != "0" || r.count("[name=push]") != 0 {
		t.Errorf("the form differs from the saved type:\n%s", r.text("main"))
	}
	o.config.Mailing = false
	o.rebuild()
	if r := o.get("carol", path+"?type=alarm"); r.count("#urgent, [name=mail], [name=push]") != 0 {
		t.Error("the form asks for what has no effect")
	}
	o.post("carol", path, "action", "save", "slug", "alarm", "expires_in", "24h").wantRedirect(t, path+"?done=type-saved")
	if diff := cmp.Diff(want, o.topics.Types()); diff != "" {
		t.Errorf("what the form does not show has changed:\n%s", diff)
	}
}
