package inbox_test

import (
	"maps"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// listener hears the changes of one user.
type listener struct {
	s   *site
	sub *redis.PubSub
	on  string
	// inbox is a key of the node on which the user's scripts run.
	inbox string
}

func (s *site) listen(t tb, seq int64) *listener {
	t.Helper()
	l := &listener{s: s, on: s.k.LiveUser(seq), inbox: s.k.State(seq)}
	l.sub = s.rdb.Subscribe(t.Context(), l.on)
	t.Cleanup(func() { _ = l.sub.Close() })
	if _, err := l.sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.heard(t) // in a cluster, changes of before may still be on their way
	return l
}

// heard returns what was published since it was last asked. A word of its own,
// which goes the way of the changes behind them, tells it when to stop.
func (l *listener) heard(t tb) []notifier.Change {
	t.Helper()
	const stop = `return redis.call('PUBLISH', ARGV[1], 'stop')`
	if err := l.s.rdb.Eval(t.Context(), stop, []string{l.inbox}, l.on).Err(); err != nil {
		t.Fatal(err)
	}
	var all []notifier.Change
	for {
		m, err := l.sub.ReceiveTimeout(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatalf("wait for a change: %v", err)
		}
		msg, ok := m.(*redis.Message)
		if !ok {
			continue
		}
		if msg.Payload == "stop" {
			return all
		}
		c, err := notifier.ParseChange(msg.Payload)
		if err != nil {
			t.Fatalf("published %q: %v", msg.Payload, err)
		}
		all = append(all, c)
	}
}

// events are the event lines of changes, as `notice 3 like:photo:3` or `upto`.
func events(changes []notifier.Change) string {
	var parts []string
	for _, c := range changes {
		for _, e := range c.Events {
			parts = append(parts, strings.TrimSpace(e.Kind+" "+e.Key))
		}
	}
	return strings.Join(parts, ", ")
}

// folded is what a browser knows that saw nothing but changes.
type folded struct {
	at   map[string]int64 // key → when it came
	read map[string]bool
	last notifier.Change
}

func newFolded() *folded { return &folded{at: map[string]int64{}, read: map[string]bool{}} }

// take folds a change, and says how many entries it finds unread.
func (f *folded) take(t tb, c notifier.Change) (unread int64) {
	t.Helper()
	if c.Ver <= f.last.Ver {
		t.Errorf("ver %d was published after %d", c.Ver, f.last.Ver)
	}
	f.last = c
	for _, e := range c.Events {
		switch e.Kind {
		case notifier.ChangeNotice:
			f.at[e.Key], f.read[e.Key] = c.Ver, false
		case notifier.ChangeRead, notifier.ChangeUnread:
			f.read[e.Key] = e.Kind == notifier.ChangeRead
		case notifier.ChangeRemoved:
			delete(f.at, e.Key)
			delete(f.read, e.Key)
		case notifier.ChangeUpto:
			for key := range maps.Keys(f.at) {
				f.read[key] = f.read[key] || f.at[key] <= e.At
			}
		}
	}
	for key := range f.at {
		if !f.read[key] {
			unread++
		}
	}
	return unread
}
