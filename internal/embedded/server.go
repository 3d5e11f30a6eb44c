package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Options of the built-in Redis. Servers use the zero value of Programs.
type Options struct {
	Log      *slog.Logger
	Programs []string // names or paths to try; empty: redis-server, then valkey-server
}

// Server is a running built-in Redis. It responds until Close.
type Server struct {
	dir  string
	url  string
	stop func() error
}

// Start starts the Redis of a locked data directory and returns once it responds. A child that dies
// later is restarted; ctx limits only the start.
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

// URL returns the address of the Redis: unix:// for a child, redis:// with a password for the
// in-memory substitute.
func (s *Server) URL() string { return s.url }

// Close stops the Redis after it has written its data to disk.
func (s *Server) Close() error {
	return errors.Join(removeURL(s.dir), s.stop())
}

func start(ctx context.Context, lock *Lock, o Options) (*Server, error) {
	program := find(o.Programs)
	if program == "" {
		o.Log.Warn("no redis-server or valkey-server on PATH: redis data is kept in the memory of this process and lost when it ends")
		return startMemory()
	}
	if err := checkVersion(ctx, program); err != nil {
		return nil, err
	}
	return startChild(ctx, program, lock, o.Log)
}
