package live

import (
	"bytes"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/carillonhq/carillon/notifier"
)

// A socketpair is a socket of the set, which no loop watches, and the descriptor of its client.
func socketpair(t *testing.T, x *sockets) (s *socket, client int) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	s = x.add(&conn{user: &user{}}, ends[0])
	t.Cleanup(func() {
		s.unlessClosed(func() {
			x.forget(s)
			_ = unix.Close(s.fd)
			s.fd = -1
			if s.timer != nil {
				s.timer.Stop()
			}
		})
		_ = unix.Close(ends[1])
	})
	return s, ends[1]
}

// received returns what the client has received.
func received(t *testing.T, client int) []byte {
	t.Helper()
	var all []byte
	for b := make([]byte, 64<<10); ; {
		n, err := unix.Read(client, b)
		if err != nil || n <= 0 {
			return all
		}
		all = append(all, b[:n]...)
	}
}

// unwatched returns a set of sockets that no loop serves.
func unwatched(t *testing.T) *sockets {
	t.Helper()
	x, err := newSockets(&Hub{lim: Limits{}.withDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.file.Close() })
	return x
}

func TestWhatIsPublishedBeforeTheHeadFollowsIt(t *testing.T) {
	t.Parallel()
	s, client := socketpair(t, unwatched(t))
	for _, frame := range []string{"1", "2"} {
		if !s.write([]byte(frame), false) {
			t.Errorf("frame %s was not kept", frame)
		}
	}
	s.begin([]byte("head"))
	s.write([]byte("3"), false)
	if got := received(t, client); string(got) != "head123" {
		t.Errorf("the client received %q", got)
	}
}

// A set that reports room which nobody waits for would never be idle.
func TestAClientThatHasReceivedEverythingLeavesTheSetIdle(t *testing.T) {
	t.Parallel()
	x := unwatched(t)
	s, client := socketpair(t, x)
	ready := func() int {
		t.Helper()
		var events [4]unix.EpollEvent
		n, err := unix.EpollWait(x.ep, events[:], 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.begin([]byte("head"))
	if n := ready(); n != 0 {
		t.Errorf("%d events before anything waits", n)
	}
	large := bytes.Repeat([]byte("x"), 4<<20)
	s.write(large, false)
	if n := ready(); n != 0 {
		t.Errorf("%d events while the buffer is full", n)
	}
	got := 0
	for got < len("head")+len(large) {
		got += len(received(t, client))
		if ready() == 1 {
			s.ready(true)
		}
	}
	if n := ready(); n != 0 || got != len("head")+len(large) {
		t.Errorf("%d events after the client has received %d bytes", n, got)
	}
}

// A descriptor is used again at once, while events of the socket that had it may be under way.
func TestAnEventOfAClosedSocketReachesNoOther(t *testing.T) {
	t.Parallel()
	x := unwatched(t)
	x.last.low = -2 // the first key needs one number, the second both
	first, _ := socketpair(t, x)
	key := first.key
	x.forget(first)
	second := x.add(&conn{}, first.fd)
	defer x.forget(second)
	if x.find(key) != nil || second.key == key {
		t.Errorf("key %v is used again", key)
	}
	if second.key.high == 0 {
		t.Fatalf("the second key is %v, which proves less", second.key)
	}
	e := eventsOf(second, departure)
	if got := keyOf(e); got != second.key {
		t.Errorf("an event of key %v has key %v", second.key, got)
	}
}

// The copies of a view have different heads and one text. What waits for one client must not change when the copy for
// the next is made.
func TestCopiesThatWaitDoNotShareMemory(t *testing.T) {
	t.Parallel()
	x := unwatched(t)
	p := &post{buf: []byte("id: 0\nevent: announcement\n\n")}
	var to []copied
	var clients []int
	for i := range 3 {
		s, client := socketpair(t, x)
		to, clients = append(to, copied{s, notifier.Badge{Ver: int64(i + 1)}, false}), append(clients, client)
	}
	p.copy(to)
	for i := range to {
		to[i].to.begin([]byte("head "))
		if got, want := string(received(t, clients[i])), fmt.Sprintf("head id: %d\nevent: announcement\n\n", i+1); got != want {
			t.Errorf("client %d received %q, want %q", i, got, want)
		}
	}
}
