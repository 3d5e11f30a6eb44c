package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Options of the built-in Redis. The zero value is what a server uses.
type Options struct {
	Log      *slog.Logger
	Programs []string // names or paths to try; empty: redis-server, then valkey-server
}

// Server is the built-in Redis. It answers until Close.
type Server struct {
	dir      string
	url      string
	inMemory bool
	stop     func() error
}

// Start starts the Redis of a locked data directory and returns when it
// answers. A child that dies later is started again; ctx limits only the start.
func Start(ctx context.Context, lock *Lock, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s, err := start(ctx, lock, o)
	if err != nil {
		return nil, fmt.Errorf("start the built-in redis: %w", err)
	}
	s.dir = lock.Dir()
	if err = writeURL(s.dir, s.url); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// URL says where it answers: unix:// for a child, redis:// with a password in
// memory.
func (s *Server) URL() string { return s.url }

// InMemory says that what Redis holds is lost with this process.
func (s *Server) InMemory() bool { return s.inMemory }

// Close ends it, after it has written what it holds to disk.
func (s *Server) Close() error {
	return errors.Join(removeURL(s.dir), s.stop())
}

func start(ctx context.Context, lock *Lock, o Options) (*Server, error) {
	program := find(o.Programs)
	if program == "" {
		o.Log.Warn("no redis-server or valkey-server on PATH: what Redis holds lives in the memory of this process and is lost with it")
		return startMemory()
	}
	if err := checkVersion(ctx, program); err != nil {
		return nil, err
	}
	return startChild(ctx, program, lock, o.Log)
}
