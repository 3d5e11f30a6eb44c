package announcement_test

import (
	"context"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
)

// hub keeps the same state for each reader as an open page: it updates numbers from the published messages, and reads
// only the numbers that the messages do not determine.
type hub struct {
	board *announcement.Announcements
	s     *site
	sub   *redis.PubSub
	held  map[notifier.Reader]notifier.Badge
	moved int // numbers updated without reading
}

func newHub(t tb, s *site) *hub {
	t.Helper()
	h := &hub{board: s.another(noOptions), s: s, held: map[notifier.Reader]notifier.Badge{}}
	h.sub = s.rdb.Subscribe(t.Context(), s.k.LiveAudience(user), s.k.LiveAudience(customer), "stop")
	t.Cleanup(func() { _ = h.sub.Close() })
	for range 3 {
		h.receive(t)
	}
	h.catchUp(t) // A cluster may still deliver messages from before the subscription.
	return h
}

func (h *hub) receive(t tb) any {
	t.Helper()
	m, err := h.sub.ReceiveTimeout(t.Context(), testkit.Patience)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (h *hub) connect(t tb, r notifier.Reader) {
	t.Helper()
	if err := h.sub.Subscribe(t.Context(), h.s.k.LiveUser(r.Seq)); err != nil {
		t.Fatal(err)
	}
	for {
		if m, ok := h.receive(t).(*redis.Subscription); ok && m.Channel == h.s.k.LiveUser(r.Seq) {
			break
		}
	}
	h.ask(t, []notifier.Reader{r})
}

// ask stores freshly read numbers.
func (h *hub) ask(t tb, readers []notifier.Reader) {
	t.Helper()
	badges, err := h.board.Badges(t.Context(), readers)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range readers {
		h.take(t, r, badges[i])
	}
}

// take stores a number unless a newer one is stored. With the same version, the number must be the
// same, too.
func (h *hub) take(t tb, r notifier.Reader, b notifier.Badge) {
	t.Helper()
	held, known := h.held[r]
	if known && b.AVer == held.AVer && b.Unread != held.Unread {
		t.Fatalf("version %d of %+v has two numbers: %d and %d", b.AVer, r, held.Unread, b.Unread)
	}
	if b.AVer > held.AVer {
		h.held[r] = b
	}
}

// catchUp applies everything published so far.
func (h *hub) catchUp(t tb) {
	t.Helper()
	stops := h.publishStops(t)
	for stops > 0 {
		m, ok := h.receive(t).(*redis.Message)
		switch {
		case !ok:
		case m.Channel == "stop":
			stops--
		case m.Channel == h.s.k.LiveAudience(user):
			h.turn(t, user, turn(t, m.Payload))
		case m.Channel == h.s.k.LiveAudience(customer):
			h.turn(t, customer, turn(t, m.Payload))
		default:
			h.marks(t, m)
		}
	}
}

// publishStops publishes a stop on every master and returns how many it published. A cluster keeps
// the order of messages from one node, but not of messages from several.
func (h *hub) publishStops(t tb) int {
	t.Helper()
	var stops atomic.Int32
	publish := func(ctx context.Context, master *redis.Client) error {
		stops.Add(1)
		return master.Publish(ctx, "stop", "").Err()
	}
	err := error(nil)
	switch rdb := h.s.rdb.(type) {
	case *redis.ClusterClient:
		err = rdb.ForEachMaster(t.Context(), publish)
	case *redis.Client:
		err = publish(t.Context(), rdb)
	default:
		t.Fatalf("cannot publish on each master of a %T", rdb)
	}
	if err != nil {
		t.Fatal(err)
	}
	return int(stops.Load())
}

func (h *hub) turn(t tb, a notifier.Audience, turn notifier.Turn) {
	t.Helper()
	var unclear []notifier.Reader
	for r, held := range h.held {
		if r.Audience != a {
			continue
		}
		opened, only := int64(0), true
		for _, e := range turn.Events {
			if only = only && e.Kind == notifier.TurnOpen; e.Sees(r.Seq) {
				opened++
			}
		}
		if only && held.AVer >= turn.Before && held.AVer < turn.AVer {
			h.moved++
			h.held[r] = notifier.Badge{Unread: held.Unread + opened, AVer: turn.AVer}
		} else {
			unclear = append(unclear, r)
		}
	}
	if len(unclear) > 0 {
		h.ask(t, unclear)
	}
}

func (h *hub) marks(t tb, m *redis.Message) {
	t.Helper()
	marks, err := notifier.ParseMarks(m.Payload)
	if err != nil {
		t.Fatal(err)
	}
	for r := range h.held {
		if h.s.k.LiveUser(r.Seq) == m.Channel {
			h.take(t, r, notifier.Badge{Unread: marks.Unread, AVer: marks.AVer})
		}
	}
}
