package bound

import (
	"net/http"
	"sync"
)

// stdlib is a hub that uses only net/http: a goroutine and a channel per connection, with each frame built once.
type stdlib struct {
	mu      sync.RWMutex
	streams map[string]map[chan []byte]struct{}
}

const queue = 64

func newStdlib() *stdlib { return &stdlib{streams: map[string]map[chan []byte]struct{}{}} }

func (s *stdlib) stream(w http.ResponseWriter, r *http.Request, user string) {
	frames := make(chan []byte, queue)
	s.join(user, frames)
	defer s.leave(user, frames)
	Stream(w, r, frame("badge", firstEvent), frames)
}

// Stream writes first, and then the frames, until the client leaves.
func Stream(w http.ResponseWriter, r *http.Request, first []byte, frames <-chan []byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	for next := first; ; {
		if _, err := w.Write(next); err != nil {
			return
		}
		select { // one flush for all waiting frames
		case next = <-frames:
			continue
		default:
		}
		if out.Flush() != nil {
			return
		}
		select {
		case next = <-frames:
		case <-r.Context().Done():
			return
		}
	}
}

func (s *stdlib) deliver(user string, data []byte) {
	f := frame("notice", data)
	s.mu.RLock()
	defer s.mu.RUnlock()
	if user != Everyone {
		Send(s.streams[user], f)
		return
	}
	for _, set := range s.streams {
		Send(set, f)
	}
}

// Send queues a frame for clients.
func Send(set map[chan []byte]struct{}, f []byte) {
	for c := range set {
		select {
		case c <- f:
		default: // the client does not read; it counts the message as lost
		}
	}
}

func (s *stdlib) join(user string, c chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams[user] == nil {
		s.streams[user] = map[chan []byte]struct{}{}
	}
	s.streams[user][c] = struct{}{}
}

func (s *stdlib) leave(user string, c chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams[user], c)
	if len(s.streams[user]) == 0 {
		delete(s.streams, user)
	}
}

func frame(name string, data []byte) []byte {
	f := make([]byte, 0, len(name)+len(data)+18)
	f = append(append(f, "event: "...), name...)
	f = append(append(f, "\ndata: "...), data...)
	return append(f, "\n\n"...)
}
