package durable

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// Config configures a server. Its users are user1, user2 and so on; the members of the role are
// others.
type Config struct {
	Addr    string
	Redis   string // path of its unix socket
	Dir     string // of the database
	Key     string // the API key
	Users   int
	Role    string
	Members int // of the role
}

const (
	waiting = 1024 // notices that wait for a commit or for their delivery
	maxBody = 64 << 10
)

type server struct {
	key     [sha256.Size]byte
	rdb     *redis.Client
	db      *database
	streams streams
	accept  chan *notice
	deliver chan *notice
	publish *redis.Script
}

// Serve runs a server until ctx ends or a part of it fails.
func Serve(ctx context.Context, cfg Config) (err error) {
	db, err := open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	const buffer = 128 << 10
	rdb := redis.NewClient(&redis.Options{Network: "unix", Addr: cfg.Redis, PoolSize: 32, ReadBufferSize: buffer, WriteBufferSize: buffer})
	defer func() { _ = rdb.Close() }()
	s := &server{
		key: sha256.Sum256([]byte(cfg.Key)), rdb: rdb, db: db, streams: newStreams(),
		accept: make(chan *notice, waiting), deliver: make(chan *notice, waiting), publish: redis.NewScript(script),
	}
	if err := s.publish.Load(ctx, rdb).Err(); err != nil {
		return fmt.Errorf("load the script: %w", err)
	}
	sub := rdb.Subscribe(ctx, channel)
	defer func() { _ = sub.Close() }()
	if _, err := sub.Receive(ctx); err != nil {
		return fmt.Errorf("subscribe: %w", err)
	}
	rest, err := db.undelivered(ctx)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	web := &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.commits(ctx) })
	g.Go(func() error { return s.delivers(ctx, rest) })
	g.Go(func() error { return s.listen(ctx, sub) })
	g.Go(func() error { return web.Serve(l) })
	g.Go(func() error { <-ctx.Done(); return errors.Join(sub.Close(), web.Close()) })
	if err := g.Wait(); ctx.Err() == nil || !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/notices", s.send)
	mux.HandleFunc("GET /api/v1/notices/{id}", s.state)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("POST /publish", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil {
			err = s.rdb.Publish(r.Context(), channel, everyone+" 1 1\n"+string(text)).Err()
		}
		if err != nil {
			refuse(w, http.StatusInternalServerError, err.Error())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

func (s *server) send(w http.ResponseWriter, r *http.Request) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum := sha256.Sum256([]byte(token))
	if !ok || subtle.ConstantTimeCompare(sum[:], s.key[:]) != 1 {
		refuse(w, http.StatusUnauthorized, "unknown key")
		return
	}
	n := &notice{stored: make(chan error, 1)}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = json.Unmarshal(body, n)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if err := n.check(); err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	n.at = time.Now().UnixMilli()
	s.accept <- n
	if err := <-n.stored; err != nil {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprintf(w, `{"id":%d,"state":"accepted"}`+"\n", n.id) // the client may have disconnected
}

func (s *server) state(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		refuse(w, http.StatusNotFound, "no such notice")
		return
	}
	state := "accepted"
	if s.db.delivered.Load() >= id {
		state = "sent"
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":%d,"state":%q}`+"\n", id, state) // the client may have disconnected
}

// refuse answers with an error in one line of text.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, why+"\n") // the client may have disconnected
}
