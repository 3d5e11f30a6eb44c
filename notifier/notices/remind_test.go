package notices_test

import (
	"errors"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestAReminderTakesThePlaceOfTheNoticeForThoseWhoHaveItUnread(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 6)
	p := running(t, r.config())
	for _, subject := range []string{"", "lift"} {
		d := toRole("all")
		d.Subject, d.ExpiresIn = subject, time.Hour
		n := send(t, p, d)
		if _, _, err := r.inbox.MarkRead(t.Context(), seqs[0], n.Key()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.inbox.Delete(t.Context(), seqs[1], n.Key()); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.inbox.Archive(t.Context(), seqs[2], []string{n.Key()}); err != nil {
			t.Fatal(err)
		}
		if err := r.store.SetMute(t.Context(), seqs[3], "news", true); err != nil {
			t.Fatal(err)
		}
		send(t, p, notifier.Draft{Target: notifier.Target{Role: "all"}, Type: "other", Title: "In between", Sender: notifier.CommandRef("test")})

		who := notifier.UserRef(notifier.User{Seq: 99, Name: "staff"})
		once := &notifier.Once{Owner: who, Key: "token " + subject, Digest: []byte("1")}
		for _, refuse := range []bool{true, false, false} { // the last is a repetition
			reminder, count, err := p.Remind(t.Context(), notifier.Actor{Ref: who}, notifier.Reminder{NoticeID: n.ID, Once: once, Sure: func(int64) bool { return !refuse }})
			if err != nil || count != 2 || (reminder.ID == 0) != refuse {
				t.Fatalf("refused %v: %+v, %d, %v", refuse, reminder, count, err)
			}
			if refuse {
				continue
			}
			if reminder.Key() != n.Key() || reminder.Title != n.Title || reminder.ExpiresAt.Sub(n.ExpiresAt).Abs() > time.Second {
				t.Errorf("%q: the reminder is %+v", subject, reminder)
			}
		}
		for i, seq := range seqs {
			page, err := r.inbox.Look(t.Context(), seq, notifier.Query{})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for at, e := range page.Entries {
				if e.Key != n.Key() {
					continue
				}
				found++
				if reminded := i >= 4; reminded != (e.NoticeID > n.ID) || reminded && (at != 0 || e.Read) {
					t.Errorf("user %d has %+v in place %d", i, e, at)
				}
			}
			if gone := i == 1 || i == 2; gone != (found == 0) || found > 1 {
				t.Errorf("user %d has %d rows", i, found)
			}
		}
		// A reminder of the first notice now has no recipients: another notice has replaced it.
		if again, count, err := p.Remind(t.Context(), notifier.Actor{Ref: who}, notifier.Reminder{NoticeID: n.ID}); err != nil || count != 0 || again.ID != 0 {
			t.Errorf("again: %+v, %d, %v", again, count, err)
		}
		if err := r.store.SetMute(t.Context(), seqs[3], "news", false); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAReminderCanBeEditedAndRemindedOf(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := running(t, r.config())
	n := send(t, p, toRole("all"))
	first, _, err := p.Remind(t.Context(), notifier.Actor{Ref: n.Sender}, notifier.Reminder{NoticeID: n.ID})
	if err != nil {
		t.Fatal(err)
	}
	r.edit(t, p, first.ID, "The lift is broken again")
	second, count, err := p.Remind(t.Context(), notifier.Actor{Ref: n.Sender}, notifier.Reminder{NoticeID: first.ID})
	if err != nil || count != 2 || second.Key() != n.Key() || second.Title != "The lift is broken again" {
		t.Errorf("%+v, %d, %v", second, count, err)
	}
	r.allUnread(t, seqs, 1)
}

func TestWhatIsOverCannotBeRemindedOf(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 2)
	p := running(t, r.config())
	later := toRole("all")
	later.SendAt = time.Now().Add(time.Hour)
	retracted, scheduled := send(t, p, toRole("all")), send(t, p, later)
	if err := p.Retract(t.Context(), notifier.Actor{}, retracted.ID); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int64]error{retracted.ID: notifier.ErrConflict, scheduled.ID: notifier.ErrConflict, 99: notifier.ErrNotFound} {
		if _, _, err := p.Remind(t.Context(), notifier.Actor{}, notifier.Reminder{NoticeID: id}); !errors.Is(err, want) {
			t.Errorf("notice %d: %v, want %v", id, err, want)
		}
	}
}
