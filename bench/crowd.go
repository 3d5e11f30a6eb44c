//go:build linux

package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// member is a signed-in user.
type member struct {
	seq    int64
	cookie string // the value of the Cookie header
}

const audience = 3 // customers

func (w *world) dataDir() string { return filepath.Join(w.dir, "data") }

// crowdDir is the directory of the SQL database that crowd created.
func (w *world) crowdDir() string { return filepath.Join(w.dir, "crowd") }

// freshData gives the server an SQL database with only the crowd: inboxes that it wrote behind
// earlier would come back into the emptied Redis.
func (w *world) freshData() error {
	err := os.RemoveAll(w.dataDir())
	if err == nil {
		err = os.CopyFS(w.dataDir(), os.DirFS(w.crowdDir()))
	}
	if err != nil {
		return fmt.Errorf("make a fresh data directory: %w", err)
	}
	return nil
}

// crowd creates the users and signs each of them in, once. The server's packages create real rows and cookies.
func (w *world) crowd(ctx context.Context) error {
	if w.members != nil {
		return nil
	}
	w.log.Info("making users and sessions", "users", w.opt.streams)
	st, err := store.Open(ctx, store.Config{DataDir: w.crowdDir()})
	if err != nil {
		return err
	}
	err = w.fill(ctx, st)
	return errors.Join(err, st.Close())
}

func (w *world) fill(ctx context.Context, st *store.Store) error {
	names := make([]string, w.opt.streams)
	for i := range names {
		names[i] = fmt.Sprintf("user%d", i+1)
	}
	n := 0
	next := func() (notifier.NewUser, int, error) {
		if n == len(names) {
			return notifier.NewUser{}, n, io.EOF
		}
		n++
		return notifier.NewUser{Name: names[n-1], Audience: audience}, n, nil
	}
	if _, err := st.ImportUsers(ctx, len(names), next, nil); err != nil {
		return fmt.Errorf("make users: %w", err)
	}
	seqs, _, err := st.SeqsByName(ctx, names)
	if err != nil {
		return fmt.Errorf("find the users: %w", err)
	}
	key, err := hex.DecodeString(w.sessionKeys)
	if err != nil {
		return err
	}
	// Their browsers were last seen some minutes ago, like the browsers of most returning users: then the last-seen
	// time of a session has to be written again.
	earlier := func() time.Time { return time.Now().Add(-10 * time.Minute) }
	sessions := session.New(session.Config{Keys: [][]byte{key}, SQL: st, Redis: w.rdb, Space: w.space, Now: earlier})
	members := make([]member, len(names))
	for i, name := range names {
		u := notifier.User{Seq: seqs[name], Name: name, Audience: audience}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/login", nil)
		if err != nil {
			return err
		}
		answer := headerOnly{}
		begun, err := sessions.New(r, "carillon") //nolint:contextcheck // New takes its context from the request, which was made with ctx
		if err == nil {
			begun.Values[notifier.SessionUser] = notifier.Signed{User: u}
			err = begun.Save(r, answer)
		}
		if err != nil {
			return fmt.Errorf("sign in %s: %w", name, err)
		}
		cookie, _, _ := strings.Cut(http.Header(answer).Get("Set-Cookie"), ";")
		members[i] = member{seq: u.Seq, cookie: cookie}
	}
	w.members = members
	return nil
}

// seqs returns the users' numbers in the order of the streams.
func (w *world) seqs() []int64 {
	all := make([]int64, len(w.members))
	for i, m := range w.members {
		all[i] = m.seq
	}
	return all
}

// headerOnly is a response that keeps only its header.
type headerOnly http.Header

func (h headerOnly) Header() http.Header       { return http.Header(h) }
func (headerOnly) Write(b []byte) (int, error) { return len(b), nil }
func (headerOnly) WriteHeader(int)             {}
