package api

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// sends sends a notice with these fields and returns its id.
func (w *world) sends(t *testing.T, fields string) int64 {
	t.Helper()
	var sent acceptedNotice
	w.call(t, w.send, "POST", "/notices", `{"title":"The bay is closed",`+fields+`}`).is(t, http.StatusAccepted).into(t, &sent)
	return sent.ID
}

// why answers about a notice of the key send.
func (w *world) whyOf(t *testing.T, id int64, user string) (a whyAnswer) {
	t.Helper()
	w.call(t, w.send, "GET", "/notices/"+strconv.FormatInt(id, 10)+"/why?user="+user, nil).is(t, http.StatusOK).into(t, &a)
	return a
}

// whyIs fails the test if the answer does not become the wanted one.
func (w *world) whyIs(t *testing.T, id int64, user string, got bool, code, sentence string) {
	t.Helper()
	testkit.Until(t, "the answer is "+code+": "+sentence, func() (whyAnswer, bool) {
		a := w.whyOf(t, id, user)
		return a, a.Got == got && a.Code == code && strings.Contains(a.Why, sentence) && strings.HasPrefix(a.Why, user+" ") && strings.HasSuffix(a.Why, ".")
	})
}

func (w *world) userNamed(t *testing.T, name string) notifier.User {
	t.Helper()
	u, err := w.store.UserByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestWhyTellsByWhichPartOfTheTargetAUserGotANoticeOrDidNot(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		named := w.sends(t, `"target":{"users":["bob","dave"]}`)
		w.whyIs(t, named, "bob", true, "target", "because it names them.")
		w.whyIs(t, named, "alice", false, "target", "names other users")

		role := w.sends(t, `"target":{"role":"picker"}`)
		w.whyIs(t, role, "dave", true, "role", "as a member of the group picker.")
		w.whyIs(t, role, "bob", false, "role", "they are not in the group picker.")
		by := notifier.Actor{Ref: notifier.CommandRef("test")}
		if err := w.people.RevokeRole(t.Context(), by, "dave", "picker"); err != nil {
			t.Fatal(err)
		}
		w.whyIs(t, role, "dave", true, "role", "as a member of the group picker.") // they keep what they have
		after := w.sends(t, `"target":{"roles":["picker","staff"]}`)
		w.whyIs(t, after, "dave", false, "role", "they have not been in the group picker, staff since "+time.Now().UTC().Format("2 Jan 2006, 15:"))
		w.whyIs(t, after, "alice", true, "role", "as a member of the group staff.")
		seq := w.userNamed(t, "bob").Seq
		if err := w.people.GrantRole(t.Context(), by, "bob", "picker"); err != nil {
			t.Fatal(err)
		}
		w.whyIs(t, after, "bob", false, "role", "they joined the group picker on ")
		if at, err := w.store.RoleChanged(t.Context(), seq, "picker", false); err != nil || !at.IsZero() {
			t.Errorf("bob has left at %s, %v", at, err)
		}

		topic := `"target":{"topic":{"type":"stock","scope":"b3"}}`
		w.call(t, w.admin, "PUT", "/subscriptions", `{"user":"dave","type":"stock","scope":"b3"}`).is(t, http.StatusCreated)
		subscribers := w.sends(t, topic)
		w.whyIs(t, subscribers, "dave", true, "target", "as a follower of stock (b3).")
		w.whyIs(t, subscribers, "bob", false, "target", "they do not follow stock (b3).")
		w.call(t, w.admin, "PUT", "/subscriptions", `{"user":"bob","type":"stock","scope":"b3"}`).is(t, http.StatusCreated)
		w.whyIs(t, subscribers, "bob", false, "target", "they followed stock (b3) on ")

		later := w.sends(t, `"target":{"users":["bob"]},"send_at":"`+stamp(time.Now().Add(time.Hour))+`"`)
		w.whyIs(t, later, "bob", false, "target", "it is to be sent on ")
	})
}

func TestWhyTellsOfMutesExpiryDeletionAndRetraction(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		bob := w.userNamed(t, "bob")
		if err := w.store.SetMute(t.Context(), bob.Seq, "shift", true); err != nil {
			t.Fatal(err)
		}
		muted := w.sends(t, `"target":{"users":["bob"]},"type":"shift"`)
		w.whyIs(t, muted, "bob", false, "muted", "they have muted the category shift.")
		if err := w.store.SetMute(t.Context(), bob.Seq, "shift", false); err != nil {
			t.Fatal(err)
		}
		w.whyIs(t, muted, "bob", false, "muted", "they had muted the category shift when it was sent on ")

		brief := w.sends(t, `"target":{"users":["bob","dave"]},"expires_in":"1s"`)
		w.whyIs(t, brief, "bob", false, "expired", "it expired on ")

		deleted := w.sends(t, `"target":{"users":["bob","dave"]},"type":"order","subject":"order:1"`)
		w.whyIs(t, deleted, "bob", true, "target", "names them")
		if _, err := w.inbox.Delete(t.Context(), bob.Seq, "order:order:1"); err != nil {
			t.Fatal(err)
		}
		w.whyIs(t, deleted, "bob", false, "deleted", "they deleted it on ")
		w.whyIs(t, deleted, "dave", true, "target", "names them")
		newer := w.sends(t, `"target":{"users":["bob","dave"]},"type":"order","subject":"order:1"`)
		w.whyIs(t, newer, "bob", true, "target", "names them")
		w.whyIs(t, deleted, "dave", false, "deleted", "a newer notification with the same key took its place on ")
		w.whyIs(t, deleted, "bob", false, "deleted", "they deleted it on ")

		if _, _, err := w.inbox.Archive(t.Context(), bob.Seq, []string{"order:order:1"}); err != nil {
			t.Fatal(err)
		}
		w.whyIs(t, newer, "bob", true, "target", "names them")
		w.call(t, w.send, "DELETE", "/notices/"+strconv.FormatInt(newer, 10), nil).is(t, http.StatusNoContent)
		w.whyIs(t, newer, "bob", false, "retracted", "it was retracted.")
		w.whyIs(t, newer, "alice", false, "target", "names other users")
	})
}

// What leaves a full inbox leaves it for good reasons: those who had it did not delete it, also when what took its room has left as well.
func TestWhyTellsThatANoticeMadeRoomForOthers(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		bob := w.userNamed(t, "bob")
		first, second := w.sends(t, `"target":{"users":["bob"]},"type":"order","subject":"order:1"`), w.sends(t, `"target":{"users":["bob"]}`)
		for _, deleted := range []bool{false, true} {
			fills := make([]string, 200)
			for i := range fills {
				fills[i] = `{"target":{"users":["bob"]},"title":"The bay is open"}`
			}
			w.call(t, w.send, "POST", "/notices/batch", `{"notices":[`+strings.Join(fills, ",")+`]}`).is(t, http.StatusAccepted)
			for _, id := range []int64{first, second} {
				w.whyIs(t, id, "bob", false, "deleted", "it made room for newer notifications in their inbox or archive on ")
			}
			if deleted {
				break
			}
			last := w.sends(t, `"target":{"users":["bob"]},"type":"order","subject":"order:2"`)
			w.whyIs(t, last, "bob", true, "target", "names them")
			if _, err := w.inbox.Delete(t.Context(), bob.Seq, "order:order:2"); err != nil {
				t.Fatal(err)
			}
			w.whyIs(t, last, "bob", false, "deleted", "they deleted it on ")
		}
	})
}

func TestWhyTellsOfMailAndDevicesThatWereNotUsed(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		carol, dave := w.userNamed(t, "carol"), w.userNamed(t, "dave")
		id := w.sends(t, `"target":{"users":["carol","dave"]}`)
		w.whyIs(t, id, "carol", true, "mail", "because it names them; no mail was sent, because they have switched mail off.")
		w.whyIs(t, id, "dave", true, "target", "because it names them.") // has no address and had no device

		zone, minute := "Asia/Tokyo", 8*60
		prefer := func(p notifier.PutPreferences) {
			t.Helper()
			if err := w.store.PutPreferences(t.Context(), carol.Seq, p); err != nil {
				t.Fatal(err)
			}
		}
		prefer(notifier.PutPreferences{Mail: &notifier.When{Daily: true}, MailAt: &minute, Zone: &zone})
		id = w.sends(t, `"target":{"users":["carol"]}`)
		w.whyIs(t, id, "carol", true, "mail", ", 08:00 JST.")
		now := time.Now().In(notifier.Location(zone))
		from := now.Hour()*60 + now.Minute()
		prefer(notifier.PutPreferences{Mail: &notifier.When{}, SetQuiet: true, Quiet: &notifier.Quiet{From: from, To: (from + 120) % (24 * 60)}})
		w.whyIs(t, id, "carol", true, "mail", "the mail about it waits for the end of their quiet hours on ")
		until := now.Add(5 * time.Hour)
		prefer(notifier.PutPreferences{PausedUntil: &until})
		w.whyIs(t, id, "carol", true, "mail", "the mail about it waits for the end of their pause on "+until.Format("2 Jan 2006, 15:04 MST"))
		no := false
		prefer(notifier.PutPreferences{Types: map[string]notifier.TypeWants{"message": {Mail: &no}}})
		w.whyIs(t, id, "carol", true, "mail", "because they want none of this category.")
		if _, err := w.inbox.ReadUpto(t.Context(), carol.Seq, strconv.FormatInt(time.Now().Add(time.Minute).UnixMilli(), 10)); err != nil {
			t.Fatal(err)
		}
		w.whyIs(t, id, "carol", true, "target", "because it names them.") // nothing to send about what they have read

		if _, _, err := w.store.AddDevice(t.Context(), notifier.NewDevice{Seq: dave.Seq, Endpoint: "https://push.example.com/1", Keys: bytes.Repeat([]byte{7}, 81), Label: "Firefox"}); err != nil {
			t.Fatal(err)
		}
		push := notifier.When{Wait: time.Hour}
		if err := w.store.PutPreferences(t.Context(), dave.Seq, notifier.PutPreferences{Push: &push}); err != nil {
			t.Fatal(err)
		}
		id = w.sends(t, `"target":{"users":["dave"]}`)
		w.whyIs(t, id, "dave", true, "device", "the push about it waits until ")
		deviceOf := func(p notifier.PutPreferences) {
			t.Helper()
			if err := w.store.PutPreferences(t.Context(), dave.Seq, p); err != nil {
				t.Fatal(err)
			}
		}
		soon := notifier.When{}
		from = time.Now().UTC().Hour()*60 + time.Now().UTC().Minute()
		deviceOf(notifier.PutPreferences{Push: &soon, SetQuiet: true, Quiet: &notifier.Quiet{From: from, To: (from + 120) % (24 * 60)}})
		w.whyIs(t, id, "dave", true, "device", "the push about it waits for the end of their quiet hours on ")
		deviceOf(notifier.PutPreferences{PausedUntil: &until})
		w.whyIs(t, id, "dave", true, "device", "the push about it waits for the end of their pause on "+until.UTC().Format("2 Jan 2006, 15:04 MST"))
		deviceOf(notifier.PutPreferences{Types: map[string]notifier.TypeWants{"message": {Push: &no}}})
		w.whyIs(t, id, "dave", true, "device", "no push was sent, because they want none of this category.")
		deviceOf(notifier.PutPreferences{Types: map[string]notifier.TypeWants{}, Push: &notifier.When{Off: true}})
		w.whyIs(t, id, "dave", true, "device", "no push was sent, because they have switched push off.")
		targets, err := w.store.Targets(t.Context(), dave.Seq)
		if err != nil {
			t.Fatal(err)
		}
		gone := &notifier.ReachStep{Was: &targets[0], To: targets[0], Gone: true}
		if err := w.store.Step(t.Context(), []*notifier.ReachStep{gone}); err != nil || !gone.Done {
			t.Fatalf("the device stays: %v", err)
		}
		w.whyIs(t, id, "dave", true, "device", "because their last device went on "+time.Now().UTC().Format("2 Jan 2006, 15:"))
	})
}

func TestWhyTellsOfAnnouncements(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.sends(t, `"target":{"audiences":["user"]},"starts_at":"`+stamp(time.Now().Add(time.Hour))+`"`)
	w.whyIs(t, id, "bob", false, "target", "it opens on ")
	id = w.sends(t, `"target":{"audiences":["user"]}`)
	w.whyIs(t, id, "bob", true, "target", "because it is for their group.")
	w.whyIs(t, id, "erin", false, "target", "it is for another group.")
	testkit.Eventually(t, "it is open", func() bool {
		found, err := w.store.Announcements(t.Context(), []int64{id})
		return err == nil && found[0].Parts[0].Settled
	})
	if _, err := w.store.CreateUser(t.Context(), newcomer("frank")); err != nil {
		t.Fatal(err)
	}
	w.whyIs(t, id, "frank", false, "target", "after it had opened.")
	w.call(t, w.send, "DELETE", "/notices/"+strconv.FormatInt(id, 10), nil).is(t, http.StatusNoContent)
	w.whyIs(t, id, "bob", false, "retracted", "it was retracted.")
}

func TestWhyIsForTheSenderOfANotice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/notices/" + strconv.FormatInt(w.sends(t, `"target":{"users":["bob"]}`), 10) + "/why?user="
	other := w.key(t, "other", "send")
	w.call(t, other, "GET", path+"bob", nil).is(t, http.StatusNotFound)
	w.call(t, w.read, "GET", path+"bob", nil).is(t, http.StatusForbidden)
	w.call(t, w.admin, "GET", path+"bob", nil).is(t, http.StatusOK)
	w.call(t, w.send, "GET", path+"nobody", nil).is(t, http.StatusNotFound)
	w.call(t, w.send, "GET", "/notices/9999/why?user=bob", nil).is(t, http.StatusNotFound)
	for _, without := range []string{path, strings.TrimSuffix(path, "?user=")} {
		if faults := w.call(t, w.send, "GET", without, nil).is(t, http.StatusUnprocessableEntity).faults(t); len(faults) != 1 || faults[0] != "query.user" {
			t.Errorf("%s: %v", without, faults)
		}
	}
}
