package channels_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/store"
)

// mailbox is a user with a mail address and one unread notice, which is due. before is called when the claimed
// message has been read from the inbox for sending, and tell replaces sending.
type mailbox struct {
	db     *store.Store
	seq    int64
	stage  *channels.Stage
	polls  int
	before func()
	read   bool
	ask    *notifier.Ask
	tell   func(context.Context, *channels.Message) channels.Outcome
	sent   []string // addresses
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	now := new(atomic.Int64)
	now.Store(1_790_000_000_000)
	clock := func() time.Time { return time.UnixMilli(now.Load()) }
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir(), Now: clock, Mail: notifier.When{Wait: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	u, err := db.CreateUser(t.Context(), notifier.NewUser{Name: "bob", Audience: 1, Email: "bob@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	b := &mailbox{db: db, seq: u.Seq}
	b.stage = channels.New(channels.Config{
		Store: db, Inbox: b, Types: new(model), Log: slog.New(slog.DiscardHandler), Now: clock,
		Ways: []channels.Way{{Kind: notifier.ReachMail, Sender: b, Parallel: 1}},
	})
	now.Add(time.Hour.Milliseconds())
	return b
}

// Poll implements channels.Inbox.
func (b *mailbox) Poll(context.Context, int64, notifier.PollQuery) (notifier.Poll, error) {
	if b.polls++; b.polls == 2 && b.before != nil { // the first one decides
		b.before()
	}
	const at = 1_790_000_001_000
	return notifier.Poll{Newest: at, Entries: []notifier.Entry{{Key: "plain:1", At: at, Read: b.read, Content: notifier.Content{Type: "plain", Extras: notifier.Extras{Ask: b.ask}}}}}, nil
}

// Send implements channels.Sender.
func (b *mailbox) Send(ctx context.Context, m *channels.Message) channels.Outcome {
	b.sent = append(b.sent, m.Target.Address)
	if b.tell != nil {
		return b.tell(ctx, m)
	}
	return channels.Outcome{}
}

func TestAMessageIsDroppedWhoseUserUnsubscribesOrMovesBeforeItIsSent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, b *mailbox) error{
		"unsubscribed": func(t *testing.T, b *mailbox) error {
			t.Helper()
			all, err := b.db.Targets(t.Context(), b.seq)
			if err != nil {
				return err
			}
			_, err = b.db.SwitchOff(t.Context(), all[0].Token)
			return err
		},
		"another address": func(t *testing.T, b *mailbox) error {
			t.Helper()
			address := "robert@example.com"
			_, _, err := b.db.PutUser(t.Context(), notifier.PutUser{Name: "bob", Email: &address})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMailbox(t)
			b.before = func() {
				if err := change(t, b); err != nil {
					t.Error(err)
				}
			}
			if err := b.stage.Round(t.Context(), notifier.ReachMail); err != nil {
				t.Fatal(err)
			}
			if b.polls < 2 || len(b.sent) > 0 {
				t.Errorf("%d looks at the inbox, sent to %v", b.polls, b.sent)
			}
		})
	}
}

func TestAQuestionThatIsReadIsSentWhileItIsOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ask  *notifier.Ask
		sent int
	}{"a notice": {nil, 0}, "an open question": {&notifier.Ask{State: notifier.AskOpen}, 1}, "one that has ended": {&notifier.Ask{State: notifier.AskExpired}, 0}} {
		b := newMailbox(t)
		b.read, b.ask = true, c.ask
		if err := b.stage.Round(t.Context(), notifier.ReachMail); err != nil || len(b.sent) != c.sent {
			t.Errorf("%s: %d messages, %v; want %d", name, len(b.sent), err, c.sent)
		}
	}
}

func TestAMessageOnItsWayIsFinishedWhenTheInstanceStops(t *testing.T) {
	t.Parallel()
	b := newMailbox(t)
	ctx, stop := context.WithCancel(t.Context())
	b.tell = func(ctx context.Context, _ *channels.Message) channels.Outcome {
		stop()
		if ctx.Err() != nil {
			return channels.Outcome{Verdict: channels.Later, Reason: "the line is cut"}
		}
		return channels.Outcome{}
	}
	if err := b.stage.Round(ctx, notifier.ReachMail); err != nil {
		t.Fatal(err)
	}
	all, err := b.db.Targets(t.Context(), b.seq)
	if err != nil || len(b.sent) != 1 || all[0].State != notifier.ReachOn || all[0].UpTo != 0 || all[0].Told == 0 {
		t.Errorf("sent to %v, then %+v, %v", b.sent, all, err)
	}
}
