package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// onBothDatabases runs a test in a world on each database.
func onBothDatabases(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	onEachDatabase(t, func(t *testing.T, url string) {
		test(t, newWorldOn(t, url, redistest.Client(t)))
	})
}

// addApp adds an app and returns its API key.
func (w *world) addApp(t *testing.T, a notifier.App) notifier.AddedApp {
	t.Helper()
	a.Audience, a.MaxLife = 2, time.Hour
	added, err := w.apps.Add(t.Context(), notifier.Actor{Ref: notifier.CommandRef("test")}, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

const orderToBob = `{"target":{"users":["bob"]},"type":"order","subject":"order:1","title":"`

func (w *world) withdraw(t *testing.T, key, path string, want int64) {
	t.Helper()
	var out withdrawn
	if w.call(t, key, "DELETE", "/subjects/"+path, nil).is(t, http.StatusOK).into(t, &out); out.Withdrawn != want {
		t.Errorf("%d notices withdrawn; want %d", out.Withdrawn, want)
	}
}

func TestSendersWithTheSameTypeAndSubjectHaveRowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		crm, forum := w.addApp(t, notifier.App{Name: "crm"}), w.addApp(t, notifier.App{Name: "forum"})
		w.accepted(t, crm.APIKey, orderToBob+`Of the CRM"}`)
		w.accepted(t, forum.APIKey, orderToBob+`Of the forum"}`)
		w.accepted(t, w.send, orderToBob+`Of nobody"}`)
		w.has(t, "bob", "Of nobody", "Of the forum", "Of the CRM")
		w.accepted(t, forum.APIKey, orderToBob+`Of the forum, again"}`)
		w.has(t, "bob", "Of the forum, again", "Of nobody", "Of the CRM")
		keys := map[string]string{}
		for _, row := range w.list(t, "bob") {
			keys[row.Title] = row.Key
		}
		if keys["Of nobody"] != "order:order:1" || !strings.HasSuffix(keys["Of the CRM"], "/order:order:1") || keys["Of the CRM"] == keys["Of the forum, again"] {
			t.Errorf("the keys are %v", keys)
		}

		other := w.key(t, "other", "send")
		w.withdraw(t, other, "order:1", 0)
		w.withdraw(t, w.send, "order:1", 1)
		w.has(t, "bob", "Of the forum, again", "Of the CRM")
		w.withdraw(t, w.admin, "order:1", 0)
		w.withdraw(t, crm.APIKey, "order:1", 1)
		w.has(t, "bob", "Of the forum, again")
		w.withdraw(t, w.admin, "order:1?app=forum", 2)
		w.has(t, "bob")
	})
}

func TestOnlyAnAdminNamesAnotherAppToWithdrawFrom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	crm := w.addApp(t, notifier.App{Name: "crm"})
	w.accepted(t, crm.APIKey, orderToBob+`Of the CRM"}`)
	w.has(t, "bob", "Of the CRM")
	for _, c := range []struct{ key, app string }{{w.send, "crm"}, {w.front.APIKey, "crm"}, {w.front.APIKey, "nobody"}, {crm.APIKey, "front"}} {
		if res := w.call(t, c.key, "DELETE", "/subjects/order:1?app="+c.app, nil).is(t, http.StatusForbidden); codeOf(t, res) != "other_app" {
			t.Errorf("naming %s: %s", c.app, res.text)
		}
	}
	unknown := w.call(t, w.admin, "DELETE", "/subjects/order:1?app=nobody", nil).is(t, http.StatusUnprocessableEntity)
	if got := unknown.faults(t); !slices.Equal(got, []string{"query.app"}) || !strings.Contains(unknown.text, "nobody") {
		t.Errorf("an unknown app: %s", unknown.text)
	}
	w.has(t, "bob", "Of the CRM")
	w.withdraw(t, crm.APIKey, "order:1?app=crm", 1)
	if _, err := w.apps.Revoke(t.Context(), notifier.Actor{}, "crm"); err != nil {
		t.Fatal(err)
	}
	w.withdraw(t, w.admin, "order:1?app=crm", 0) // what a revoked app has left can be removed
}

// TestRowsFromBeforeAppsHadKeysAreEditedReadAndRetracted sends as programs did before: the key of the app is only the sender.
func TestRowsFromBeforeAppsHadKeysAreEditedReadAndRetracted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	crm := w.addApp(t, notifier.App{Name: "crm"})
	before := func(title, subject string, app notifier.AddedApp) int64 {
		t.Helper()
		sent := w.notices.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{{Draft: notifier.Draft{
			Target: notifier.Target{Users: []string{"bob"}}, Type: "order", Subject: subject, Title: title, Sender: notifier.KeyRef(app.Name),
		}}})[0]
		if sent.Err != nil {
			t.Fatal(sent.Err)
		}
		return sent.Notice.ID
	}
	mine, gone := before("Mine", "order:1", crm), before("Gone", "order:2", crm)
	before("Of front", "order:3", w.front)
	w.accepted(t, crm.APIKey, orderToBob+`New"}`)
	w.has(t, "bob", "New", "Of front", "Gone", "Mine")
	w.call(t, crm.APIKey, "PATCH", "/notices/"+strconv.FormatInt(mine, 10), `{"title":"Mine, edited"}`).is(t, http.StatusOK)
	w.has(t, "bob", "New", "Of front", "Gone", "Mine, edited")
	w.call(t, crm.APIKey, "DELETE", "/notices/"+strconv.FormatInt(gone, 10), nil).is(t, http.StatusNoContent)
	w.has(t, "bob", "New", "Of front", "Mine, edited")
	w.withdraw(t, crm.APIKey, "order:3", 0)
	w.withdraw(t, crm.APIKey, "order:1", 2)
	w.has(t, "bob", "Of front")
}

func TestReadingASubjectReachesTheRowsOfTheAskingAppAndOfNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		left []string // unread
		read func(t *testing.T, w *world)
	}{
		"a token": {[]string{"Of the CRM"}, func(t *testing.T, w *world) { w.call(t, w.bob, "POST", "/me/read", `{"subject":"order:1"}`).is(t, 200) }},
		"a session": {nil, func(t *testing.T, w *world) {
			w.call(t, "", "POST", "/me/read", `{"subject":"order:1"}`, "Cookie", w.signIn(t, "bob"), "Sec-Fetch-Site", "same-origin").is(t, 200)
		}},
		"a key of none": {nil, func(t *testing.T, w *world) {
			w.call(t, w.read, "POST", "/users/bob/read", `{"subject":"order:1"}`).is(t, 200)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			crm := w.addApp(t, notifier.App{Name: "crm"})
			w.accepted(t, crm.APIKey, orderToBob+`Of the CRM"}`)
			w.accepted(t, w.front.APIKey, orderToBob+`Of front"}`)
			w.accepted(t, w.send, orderToBob+`Of nobody"}`)
			testkit.Eventually(t, "all three are delivered", func() bool { return len(w.list(t, "bob")) == 3 })
			c.read(t, w)
			var unread []string
			for _, row := range w.list(t, "bob") {
				if !row.Read {
					unread = append(unread, row.Title)
				}
			}
			if !slices.Equal(unread, c.left) {
				t.Errorf("unread are %q; want %q", unread, c.left)
			}
		})
	}
}

// list returns the entries of an inbox, newest first.
func (w *world) list(t *testing.T, name string) []notifier.Entry {
	t.Helper()
	u, err := w.store.UserByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	page, err := w.inbox.Look(t.Context(), u.Seq, notifier.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Entries
}
