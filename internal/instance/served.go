package instance

import (
	"sync"
	"time"
)

// fewFailed is how many requests may fail in a minute before that counts at all.
const fewFailed = 10

// served counts the requests of the last minute, in slots of ten seconds.
type served struct {
	mu    sync.Mutex
	slots [7]struct{ begun, all, failed int64 }
}

const slotSeconds = 10

// add counts a request. An answer of 503 is not counted as failed: it has a cause that is known otherwise.
func (s *served) add(now time.Time, status int) {
	at := now.Unix() / slotSeconds
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := &s.slots[at%int64(len(s.slots))]
	if slot.begun != at {
		*slot = struct{ begun, all, failed int64 }{begun: at}
	}
	slot.all++
	if status >= 500 && status != 503 {
		slot.failed++
	}
}

func (s *served) lately(now time.Time) (all, failed int64) {
	at := now.Unix() / slotSeconds
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.slots {
		if slot := &s.slots[i]; at-slot.begun < int64(len(s.slots)) {
			all, failed = all+slot.all, failed+slot.failed
		}
	}
	return all, failed
}

// requestServed is a web.Served.
func (i *instance) requestServed(method, route string, status int, took time.Duration) {
	i.times.served(method, route, status, took)
	i.ready.served.add(time.Now(), status)
}
