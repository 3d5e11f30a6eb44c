package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

// diary is an audit log in memory. With a failure, it cannot be written to.
type diary struct {
	failure error

	mu  sync.Mutex
	all []string
}

func (d *diary) Audit(_ context.Context, e notifier.AuditEntry) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure == nil {
		d.all = append(d.all, strings.Join([]string{e.Actor.String(), e.Action, e.Object.String(), e.Detail, e.Address}, " | "))
	}
	return d.failure
}

// taken returns the entries written since the last call.
func (d *diary) taken() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.all
	d.all = nil
	return all
}

func TestChangesByApplicationsAreAudited(t *testing.T) {
	t.Parallel()
	d := &diary{}
	w := newStillWorld(t, "", redistest.Client(t), func(c *Config) { c.Audit = d })
	bob, err := w.store.UserByName(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	const from = " | 192.0.2.1" // the client address of httptest's requests
	for _, step := range []struct {
		method, path, body string
		status             int
		want               []string
	}{
		{"PUT", "/users/frank", `{"roles": ["picker", "driver"]}`, http.StatusCreated, []string{"key admin | user.add | frank | driver,picker" + from}},
		{"PUT", "/users/frank", `{"roles": ["picker", "driver"]}`, http.StatusOK, nil}, // no change
		{"PUT", "/users/frank", `{}`, http.StatusOK, nil},
		{"PUT", "/users/frank", `{"roles": [], "audience": "customer", "locale": "ja"}`, http.StatusOK, []string{`key admin | user.edit | frank | audience customer; locale "ja"; roles ` + from}},
		{"PUT", "/users/frank", `{"audience": "martians"}`, http.StatusUnprocessableEntity, nil},
		{"GET", "/users/frank", "", http.StatusOK, nil},
		{"DELETE", "/users/bob", "", http.StatusNoContent, []string{fmt.Sprintf("key admin | user.delete | user %d | ", bob.Seq) + from}},
		{"DELETE", "/users/bob", "", http.StatusNotFound, nil},
	} {
		w.call(t, w.admin, step.method, step.path, step.body).is(t, step.status)
		if diff := cmp.Diff(step.want, d.taken()); diff != "" {
			t.Errorf("%s %s %s: %s", step.method, step.path, step.body, diff)
		}
	}
	w.call(t, w.send, "PUT", "/users/gina", `{}`).is(t, http.StatusForbidden)
	if all := d.taken(); all != nil {
		t.Errorf("a refused call was audited: %q", all)
	}
}

func TestAFailingAuditLogDoesNotPreventAChange(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newStillWorld(t, "", redistest.Client(t), func(c *Config) {
		c.Audit, c.Log = &diary{failure: errors.New("disk full")}, slog.New(slog.NewTextHandler(&log, nil))
	})
	w.call(t, w.admin, "PUT", "/users/frank", `{}`).is(t, http.StatusCreated)
	w.call(t, w.admin, "GET", "/users/frank", nil).is(t, http.StatusOK)
	if text := log.String(); !strings.Contains(text, "could not write to the audit log") || !strings.Contains(text, "disk full") {
		t.Errorf("log: %s", text)
	}
}

func TestAFullInstallationRefusesNewUsersWithItsReason(t *testing.T) {
	t.Parallel()
	small, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir(), MaxSeq: 1})
	if err == nil {
		t.Cleanup(func() { _ = small.Close() })
		_, err = small.CreateUser(t.Context(), notifier.NewUser{Name: "alice", Audience: 2})
	}
	if err != nil {
		t.Fatal(err)
	}
	w := newStillWorld(t, "", redistest.Client(t), func(c *Config) {
		c.People = person.New(person.Config{Store: small, Audit: small, Audiences: c.Audiences})
	})
	r := w.call(t, w.admin, "PUT", "/users/frank", `{}`).is(t, http.StatusInsufficientStorage)
	var p struct{ Detail string }
	r.into(t, &p)
	if !strings.Contains(p.Detail, "no room for another") || strings.Contains(p.Detail, "seq") {
		t.Errorf("detail: %q", p.Detail)
	}
}
