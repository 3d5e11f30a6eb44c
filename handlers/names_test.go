package handlers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestNamesAreSuggestedWhileTyping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.called("alice", "Alice Ñ")
	if _, err := w.db.CreateUser(t.Context(), notifier.NewUser{Name: `</script>"ali`, Audience: 1}); err != nil {
		t.Fatal(err)
	}
	w.haveMembers("picker", "bob")
	w.haveCrowd("many", 1500, 2, "night picker")
	const group = `,"icon":"users","tint":"gray"}`
	for _, test := range []struct{ address, lang, want string }{
		{"?q=ali&target=user", "en", `{"names":[{"name":"alice","note":"Alice Ñ · Customer","initials":"AÑ","tint":"teal"},{"name":"\u003c/script\u003e\"ali","note":"Operator","initials":"SA","tint":"blue"}]}`},
		{"?q=+ali+", "ja", `{"names":[{"name":"alice","note":"Alice Ñ · 顧客","initials":"AÑ","tint":"teal"},{"name":"\u003c/script\u003e\"ali","note":"オペレーター","initials":"SA","tint":"blue"}]}`},
		{"?q=PICK&target=role", "en", `{"names":[{"name":"picker","note":"1 person"` + group + `,{"name":"night picker","note":"1,500 people"` + group + `]}`},
		{"?target=role", "zh", `{"names":[{"name":"night picker","note":"1,500 人"` + group + `,{"name":"picker","note":"1 人"` + group + `,{"name":"staff","note":"1 人"` + group + `]}`},
		{"?q=zzz", "en", `{"names":[]}`},
		{"?q=" + strings.Repeat("long", 51), "en", `{"names":[]}`},
	} {
		r := w.get("carol", "/staff/names"+test.address, "Accept-Language", test.lang).wantStatus(t, http.StatusOK)
		if diff := cmp.Diff(test.want+"\n", r.body); diff != "" {
			t.Errorf("%s: %s", test.address, diff)
		}
		if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the headers are %v", r.Header)
		}
	}
	if r := w.get("carol", "/staff/names?q=many"); strings.Count(r.body, `"name":"many`) != 8 {
		t.Errorf("of many names it has %s", r.body)
	}
}

func TestCategoriesAreOfferedWithIconAndName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		types := []notifier.NoticeType{{Slug: "like"}, {Slug: "order", Icon: "truck", Color: "gray", Names: map[string]string{"en": "Parcels"}}}
		for n := range 20 {
			types = append(types, notifier.NoticeType{Slug: fmt.Sprintf("z.%02d", n)})
		}
		w.haveTypes(types...)
	})
	for address, want := range map[string]string{
		"?q=parc&target=type": `{"names":[{"name":"order","note":"order","label":"Parcels","icon":"truck","tint":"gray"}]}`,
		"?q=lik&target=type":  `{"names":[{"name":"like","note":"like","label":"Like","icon":"heart","tint":"green"}]}`,
	} {
		if r := w.get("carol", "/staff/names"+address).wantStatus(t, http.StatusOK); r.body != want+"\n" {
			t.Errorf("%s: %s", address, r.body)
		}
	}
	if r := w.get("carol", "/staff/names?target=type"); strings.Count(r.body, `"name"`) != 22 {
		t.Errorf("the whole list is %s", r.body)
	}

	// The field has the icon and the name, too, and follows what is typed.
	mark := func(r reply) string {
		return strings.Join(r.texts("#type-name"), "|") + r.attr("#type-mark use", "href")[strings.LastIndex(r.attr("#type-mark use", "href"), "#"):]
	}
	if got := mark(w.get("carol", "/staff/send?type=order").wantStatus(t, http.StatusOK)); got != "Parcels#truck" {
		t.Errorf("the field has %q", got)
	}
	if got := mark(w.live(nil, "target", "user", "type", "like").wantStatus(t, http.StatusOK)); got != "Like#heart" {
		t.Errorf("of what was typed it has %q", got)
	}
	w.live(nil, "target", "user", "type", "unheard.of").wantText(t, "#type-name", "New category")
	if r := w.live(nil, "target", "topic"); r.count("#type-mark .avatar") != 0 || r.count("#type-mark") != 1 {
		t.Error("a topic without a category has an icon")
	}
}

// One field suggests recipients of all kinds, in sections; with one chosen, only those of its kind.
func TestRecipientsAreSuggestedInSections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.haveTypes(notifier.NoticeType{Slug: "restocking", Icon: "package", Color: "teal", Names: map[string]string{"en": "Restocking"}}, notifier.NoticeType{Slug: "resting"})
		w.sender.count = func(d notifier.Draft) (int64, error) { return int64(10 + len(d.Target.Topic.Scope)), nil }
	})
	w.haveCrowd("rest", 3, 3, "restaurant")
	w.haveSubscriptions(subscription(0, "restocking", "", "rest 0000", ""), subscription(0, "restocking", "119240", "", "restaurant"), subscription(0, "restocking", "119240", "rest 0001", ""))
	for query, want := range map[string]string{
		"?q=rest":                 "People: rest 0000, rest 0001, rest 0002; Groups: restaurant (3 people); Followers: Restocking (10 people), Restocking (119240) (16 people)",
		"":                        "Groups: restaurant (3 people), staff (1 person); Followers: Restocking (10 people), Restocking (119240) (16 people)",
		"?q=restocking+1192":      "Followers: Restocking (119240) (16 people)",
		"?q=restocking+2":         "",
		"?q=resting":              "", // nobody follows it
		"?q=rest&of=role":         "Groups: restaurant (3 people)",
		"?q=rest&of=user":         "People: rest 0000, rest 0001, rest 0002",
		"?of=audience":            "Everyone in: Operator, User, Customer",
		"?q=customer&of=audience": "Everyone in: Customer",
		"?q=customer":             "",
	} {
		if query == "" {
			query = "?"
		}
		var found struct {
			Names []struct{ Name, Note, Label, Kind, Scope, Section, Icon, Initials string }
		}
		r := w.get("carol", "/staff/names"+query+"&target=to").wantStatus(t, http.StatusOK)
		if err := json.Unmarshal([]byte(r.body), &found); err != nil {
			t.Fatal(err)
		}
		var sections []string
		for i, o := range found.Names {
			if o.Kind == "" || o.Icon+o.Initials == "" {
				t.Errorf("%s: %+v", query, o)
			}
			shown := o.Label
			if shown == "" {
				shown = o.Name
			}
			if o.Kind == "role" || o.Kind == "topic" {
				shown += " (" + o.Note + ")"
			}
			if i > 0 && found.Names[i-1].Section == o.Section {
				sections[len(sections)-1] += ", " + shown
			} else {
				sections = append(sections, o.Section+": "+shown)
			}
		}
		if got := strings.Join(sections, "; "); got != want {
			t.Errorf("%s suggests %q, want %q", query, got, want)
		}
	}
	if r := w.get("carol", "/staff/names?target=to&q=customer&of=audience"); !strings.Contains(r.body, `"name":"customer"`) {
		t.Errorf("the value of an audience is not its name in the configuration: %s", r.body)
	}
}

func TestNamesAreForStaffOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.closeSQL()
	w.get("alice", "/staff/names?q=a").wantStatus(t, http.StatusNotFound)
	w.get("", "/staff/names?q=a").wantStatus(t, http.StatusSeeOther)
	if r := w.get("carol", "/staff/names?q=a").wantStatus(t, http.StatusServiceUnavailable); strings.Contains(r.body, "sql") {
		t.Error("the response shows an internal error")
	}
}
