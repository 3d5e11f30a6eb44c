package announcement_test

import (
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// listener receives one channel.
type listener struct {
	s   *site
	sub *redis.PubSub
	on  string
	// node is a key on the node that publishes on the channel.
	node string
}

// turns listens to the turns of an audience.
func (s *site) turns(t tb, a notifier.Audience) *listener {
	t.Helper()
	return s.listen(t, s.k.LiveAudience(a), s.k.AVer(a))
}

// marks listens to the marks of a customer.
func (s *site) marks(t tb, seq int64) *listener {
	t.Helper()
	return s.listen(t, s.k.LiveUser(seq), s.k.AVer(customer))
}

func (s *site) listen(t tb, channel, node string) *listener {
	t.Helper()
	l := &listener{s: s, on: channel, node: node, sub: s.rdb.Subscribe(t.Context(), channel)}
	t.Cleanup(func() { _ = l.sub.Close() })
	if _, err := l.sub.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.heard(t) // in a cluster, earlier messages may still be in transit
	return l
}

// next waits for the next message.
func (l *listener) next(t tb) string {
	t.Helper()
	for {
		m, err := l.sub.ReceiveTimeout(t.Context(), testkit.Patience)
		if err != nil {
			t.Fatalf("wait for a message on %s: %v", l.on, err)
		}
		if m, ok := m.(*redis.Message); ok {
			return m.Payload
		}
	}
}

// heard returns the messages published since the last call. It publishes a stop message after them and reads until
// that arrives.
func (l *listener) heard(t tb) (all []string) {
	t.Helper()
	const stop = `return redis.call('PUBLISH', ARGV[1], 'stop')`
	if err := l.s.rdb.Eval(t.Context(), stop, []string{l.node}, l.on).Err(); err != nil {
		t.Fatal(err)
	}
	for {
		word := l.next(t)
		if word == "stop" {
			return all
		}
		all = append(all, word)
	}
}

func turn(t tb, text string) notifier.Turn {
	t.Helper()
	turn, err := notifier.ParseTurn(text)
	if err != nil {
		t.Fatalf("published %q: %v", text, err)
	}
	return turn
}

// told returns the event lines published since the last call, as `open 1 top 9, removed 2`.
func (l *listener) told(t tb) string {
	t.Helper()
	var parts []string
	for _, text := range l.heard(t) {
		_, lines, _ := strings.Cut(text, "\n")
		turn(t, text)
		for line := range strings.Lines(lines) {
			words := strings.SplitN(strings.TrimSpace(line), " ", 4)
			parts = append(parts, strings.Join(words[:min(3, len(words))], " "))
		}
	}
	return strings.Join(parts, ", ")
}
