package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

const (
	likePhoto  = `"type":"like","subject":"photo:1","title":"Liked","more":{"one":"{actor} and {others} other","other":"{actor} and {others} others"},"actor":`
	carolActor = `{"id":"carol","name":"Carol White","image":"https://cdn.example.com/carol.png"}`
)

// bobReads returns what bob's rows say, newest first, in a language.
func (w *world) bobReads(t *testing.T, query, language string) string {
	t.Helper()
	var mine meNotices
	w.call(t, w.bob, "GET", "/me/notices"+query, nil, "Accept-Language", language).is(t, http.StatusOK).into(t, &mine)
	var says []string
	for _, n := range mine.Notices {
		says = append(says, groupText(n.Title, &n.RowExtras))
		for _, a := range n.Actors {
			if a.Name == "Somebody" && a != (actorJSON{Name: "Somebody"}) {
				t.Errorf("the deleted actor is %+v", a)
			}
		}
	}
	return strings.Join(says, "; ")
}

func TestADeletedUserIsSomebodyInTheRowsOfOthers(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		w.bobHas(t, w.send, likePhoto+`{"id":"u1","name":"Alice"}`)
		w.bobHas(t, w.send, `"type":"comment","subject":"1","title":"Carol White commented","actor":`+carolActor)
		w.bobHas(t, w.send, `"type":"comment","subject":"2","title":"Archived","actor":`+carolActor)
		w.did(t, "archive", `{"keys":["comment:2"]}`)
		for _, actor := range []string{carolActor, `{"id":"u3","name":"Dave"}`, carolActor} {
			w.accepted(t, w.send, `{"target":{"users":["bob"]},`+likePhoto+actor+`}`)
		}
		var later acceptedNotice
		w.call(t, w.send, "POST", "/notices", `{"target":{"users":["bob"]},"type":"order","title":"Later","send_at":"`+rfc3339(time.Now().Add(time.Hour))+`","actor":`+carolActor+`}`).
			is(t, http.StatusAccepted).into(t, &later)
		other := w.accepted(t, w.send, `{"target":{"users":["bob"]},"type":"other","title":"Another Carol","actor":{"name":"carol"}}`)
		before := "Another Carol: [carol] and 0, 1 times; Carol White and 2 others: [Carol White Dave Alice] and 2, 4 times; Carol White commented: [Carol White] and 0, 1 times"
		testkit.Eventually(t, "bob has all", func() bool { return w.bobReads(t, "", "en") == before })

		w.call(t, w.admin, "DELETE", "/users/carol", nil).is(t, http.StatusNoContent)
		rows := strings.NewReplacer("Carol White and", "Somebody and", "[Carol White", "[Somebody").Replace(before)
		check := func(when string) {
			t.Helper()
			if got := w.bobReads(t, "", "en"); got != rows {
				t.Errorf("%s bob reads %s; want %s", when, got, rows)
			}
			if got := w.bobReads(t, "?type=like", "ja"); got != "誰か and 2 others: [誰か Dave Alice] and 2, 4 times" {
				t.Errorf("%s bob reads %s in Japanese", when, got)
			}
			if got := w.bobReads(t, "?filter=archived", "en"); got != "Archived: [Somebody] and 0, 1 times" {
				t.Errorf("%s bob's archive has %s", when, got)
			}
			if n := w.polled(t, "bob", "since=0").Notices[1]; groupText(n.Title, &n.RowExtras) != strings.Split(rows, "; ")[1] {
				t.Errorf("%s a poll answers %s", when, groupText(n.Title, &n.RowExtras))
			}
		}
		check("after the deletion")
		bob, err := w.store.UserByName(t.Context(), "bob")
		if err != nil {
			t.Fatal(err)
		}
		values := strings.Join(w.redis.HVals(t.Context(), w.keys.Hash(bob.Seq)).Val(), "\n")
		if strings.Contains(values, "carol.png") || strings.Contains(values, `"id":"carol"`) || strings.Contains(values, `"name":"Carol White"`) {
			t.Errorf("Redis has %s", values)
		}
		if got, err := w.inbox.Read(t.Context(), []int64{bob.Seq}); err != nil || w.store.SaveSnapshots(t.Context(), got) != nil {
			t.Fatal(err)
		}
		if err := w.inbox.Erase(t.Context(), bob.Seq); err != nil {
			t.Fatal(err)
		}
		check("restored from SQL")
		if a := w.notice(t, later.ID).Actor; *a != (actorJSON{Name: notifier.Somebody}) {
			t.Errorf("the actor of the scheduled notice is %+v", a)
		}
		if a := w.notice(t, other).Actor; *a != (actorJSON{Name: "carol"}) {
			t.Errorf("an actor without an id is now %+v", a)
		}
		w.call(t, w.send, "PATCH", "/notices/"+strconv.FormatInt(later.ID, 10), `{"title":"Still later"}`).is(t, http.StatusOK)
		w.accepted(t, w.send, `{"target":{"users":["bob"]},`+likePhoto+`{"id":"u4","name":"Erin"}}`)
		rows = "Erin and 3 others: [Erin Somebody Dave] and 3, 5 times"
		testkit.Eventually(t, "the group goes on: "+rows, func() bool { return w.bobReads(t, "?type=like", "en") == rows })
	})
}
