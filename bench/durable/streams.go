package durable

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/bench/bound"
)

const queue = 64 // frames that wait for a client

// streams are the connected clients by user.
type streams struct {
	mu sync.RWMutex
	of map[int64]map[chan []byte]struct{}
}

func newStreams() streams { return streams{of: map[int64]map[chan []byte]struct{}{}} }

func (s *streams) join(seq int64) chan []byte {
	frames := make(chan []byte, queue)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[seq] == nil {
		s.of[seq] = map[chan []byte]struct{}{}
	}
	s.of[seq][frames] = struct{}{}
	return frames
}

func (s *streams) leave(seq int64, frames chan []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.of[seq], frames)
	if len(s.of[seq]) == 0 {
		delete(s.of, seq)
	}
}

// send queues a frame for the clients of a user, or for all clients if user is everyone.
func (s *streams) send(user string, frame []byte) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if user == everyone {
		for _, clients := range s.of {
			bound.Send(clients, frame)
		}
		return
	}
	seq, err := strconv.ParseInt(user, 10, 64)
	if err == nil {
		bound.Send(s.of[seq], frame)
	}
}

// listen passes the messages of the channel to the clients: a notice and the badge in one frame.
func (s *server) listen(ctx context.Context, sub *redis.PubSub) error {
	for {
		m, err := sub.ReceiveMessage(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("receive: %w", err)
		}
		head, text, _ := strings.Cut(m.Payload, "\n")
		user, numbers, _ := strings.Cut(head, " ")
		ver, unread, _ := strings.Cut(numbers, " ")
		s.streams.send(user, []byte("event: notice\ndata: "+text+"\n\n"+badge(unread, ver)))
	}
}

func badge(unread, ver string) string {
	return "event: badge\ndata: {\"unread\":" + unread + ",\"ver\":" + ver + "}\n\n"
}

func (s *server) events(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.ParseInt(r.URL.Query().Get("stream"), 10, 64)
	if err != nil {
		refuse(w, http.StatusBadRequest, "stream: a number")
		return
	}
	frames := s.streams.join(n + 1)
	defer s.streams.leave(n+1, frames)
	state, err := s.rdb.HMGet(r.Context(), stateKey(n+1), "unread", "ver").Result()
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	numbers := [2]string{"0", "0"}
	for i, v := range state {
		if text, ok := v.(string); ok {
			numbers[i] = text
		}
	}
	bound.Stream(w, r, []byte(badge(numbers[0], numbers[1])), frames)
}
