package inbox_test

import (
	"maps"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// listener receives the changes of one user.
type listener struct {
	s   *site
	sub *redis.PubSub
	on  string
	// a key on the node that runs the user's scripts
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
	l.heard(t) // in a cluster, earlier changes may still be under way
	return l
}

// heard returns the changes published since the last call. It publishes a marker after them, and reads until the
// marker arrives.
func (l *listener) heard(t tb) []notifier.Change {
	t.Helper()
	const stop = `return redis.call('PUBLISH', ARGV[1], 'stop')`
	if err := l.s.rdb.Eval(t.Context(), stop, []string{l.inbox}, l.on).Err(); err != nil {
		t.Fatal(err)
	}
	var all []notifier.Change
	for {
		m, err := l.sub.ReceiveTimeout(t.Context(), testkit.Patience)
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

// events lists the event lines of changes, such as `notice 3 like:photo:3` or `upto`.
func events(changes []notifier.Change) string {
	var parts []string
	for _, c := range changes {
		for _, e := range c.Events {
			parts = append(parts, strings.TrimSpace(e.Kind+" "+e.Key))
		}
	}
	return strings.Join(parts, ", ")
}

// folded is the state of a browser that has seen only the changes.
type folded struct {
	at   map[string]int64 // key → version at its arrival
	read map[string]bool
	last notifier.Change
}

func newFolded() *folded { return &folded{at: map[string]int64{}, read: map[string]bool{}} }

// take applies a change, and returns the number of unread entries after it.
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
