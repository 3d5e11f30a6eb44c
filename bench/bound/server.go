package bound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Channel is the only Redis channel that a bound server subscribes to.
const Channel = "bound"

// Everyone is the user of a message to all streams.
const Everyone = "*"

// The kinds of servers.
const (
	Stdlib = "stdlib" // net/http with a channel per connection
	R3Lean = "r3labs" // the leanest use of r3labs/sse
)

// Config configures a bound server.
type Config struct {
	Kind      string
	Addr      string
	Redis     string // path of its unix socket; empty: pages only
	PageBytes int
}

// hub opens streams and delivers messages to them.
type hub interface {
	stream(w http.ResponseWriter, r *http.Request, user string)
	deliver(user string, data []byte)
}

// firstEvent is the first event of every stream, like Carillon's first badge.
var firstEvent = []byte(`{"unread":0,"inbox":0,"announcements":0,"ver":1,"aver":0}`)

// Serve runs a bound server until ctx is done.
func Serve(ctx context.Context, cfg Config) error {
	var h hub
	switch cfg.Kind {
	case Stdlib:
		h = newStdlib()
	case R3Lean:
		h = newR3Lean()
	default:
		return fmt.Errorf("unknown kind of bound server %q", cfg.Kind)
	}
	failed := make(chan error, 2)
	var publish http.HandlerFunc
	if cfg.Redis != "" {
		rdb := redis.NewClient(&redis.Options{Network: "unix", Addr: cfg.Redis})
		defer func() { _ = rdb.Close() }()
		sub := rdb.Subscribe(ctx, Channel)
		defer func() { _ = sub.Close() }()
		if _, err := sub.Receive(ctx); err != nil {
			return fmt.Errorf("subscribe: %w", err)
		}
		go func() { failed <- relay(ctx, sub, h) }()
		publish = publisher(rdb)
	}
	srv := &http.Server{Handler: routes(h, cfg.PageBytes, publish), ReadHeaderTimeout: 10 * time.Second}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	go func() { failed <- srv.Serve(l) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	return errors.Join(err, srv.Close())
}

// publisher sends a message to all instances through Redis.
func publisher(rdb *redis.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		const limit = 64 << 10
		data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err == nil {
			err = rdb.Publish(r.Context(), Channel, r.URL.Query().Get("to")+"\n"+string(data)).Err()
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func relay(ctx context.Context, sub *redis.PubSub, h hub) error {
	for {
		m, err := sub.ReceiveMessage(ctx)
		if err != nil {
			return fmt.Errorf("receive: %w", err)
		}
		user, data, _ := strings.Cut(m.Payload, "\n")
		h.deliver(user, []byte(data))
	}
}

func routes(h hub, pageBytes int, publish http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	page := []byte("<!doctype html><title>bound</title>" + strings.Repeat("x", max(0, pageBytes-35)))
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		h.stream(w, r, r.URL.Query().Get("stream"))
	})
	if publish != nil {
		mux.HandleFunc("POST /publish", publish)
	}
	mux.HandleFunc("POST /ack", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // the client may have disconnected
	})
	return mux
}
