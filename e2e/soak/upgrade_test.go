package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

// The program of the previous release continues while the new one migrates, and both run at the same time. Without
// -before the program is replaced by itself.
func TestUpgradingLosesAndRefusesNothing(t *testing.T) {
	former := formerProgram(t)
	t.Run("beside each other on PostgreSQL", func(t *testing.T) {
		s, end := filled(t, former, sqltest.URL(t))
		for slot := range s.slots {
			s.replace(t, slot)
			s.wait(t, 60*(*rounds)) // old and new side by side, then two new ones
		}
		end(t)
	})
	t.Run("one after the other on SQLite", func(t *testing.T) {
		s, end := filled(t, former, "")
		end(t)
		s.program = program
		for slot := range s.slots {
			s.slots[slot].Load().stop(t)
		}
		for slot := range s.slots {
			s.start(slot)
		}
		end = s.load()
		s.wait(t, 60)
		end(t)
	})
}

// filled returns a site of an older program with notices, and a function that ends the traffic there and checks
// everything.
func filled(t *testing.T, former, sqlURL string) (s *site, end func(*testing.T)) {
	t.Helper()
	h := plain(redistest.Own(t), sqlURL)
	h.program = former
	s = newSite(t, h)
	end = s.load()
	s.wait(t, 60)
	return s, end
}

// load makes people and an application send and read until end, which checks everything.
func (s *site) load() (end func(*testing.T)) {
	s.t.Helper()
	key := s.key()
	watchers := s.watch()
	all := []*traffic{
		s.send(), s.read(),
		s.work(2, staff, func(ctx context.Context, p *person) { p.sendByKey(ctx, key) }),
		s.work(1, staff, func(ctx context.Context, p *person) {
			_, _ = p.ask(ctx, http.MethodGet, "/readyz", nil) // the ledger records its faults
			pause(ctx)
		}),
	}
	return func(t *testing.T) {
		t.Helper()
		for _, each := range all {
			each.stop()
		}
		if s.db == nil {
			s.openStore()
		}
		s.holds(t, watchers...)
		if broken := s.book.faults(); len(broken) > 0 {
			t.Errorf("%d responses of 500 and more:\n%s", len(broken), strings.Join(broken[:min(len(broken), 10)], "\n"))
		}
	}
}

// replace puts an instance of the program under test into a slot, and then stops the previous one.
func (s *site) replace(t *testing.T, slot int) {
	t.Helper()
	was := s.slots[slot].Load()
	s.program = program
	s.start(slot)
	was.stop(t)
}

// key adds an API key and returns it.
func (s *site) key() string {
	s.t.Helper()
	var told struct {
		Key string `json:"key"`
	}
	name := fmt.Sprintf("shop%d", rand.Uint32())
	if err := json.Unmarshal([]byte(s.carillon("key", "add", name, "--scope", "send", "--json")), &told); err != nil || told.Key == "" {
		s.t.Fatalf("add a key: %v", err)
	}
	return told.Key
}

// sendByKey sends a notice as an application does.
func (p *person) sendByKey(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	base := p.s.slots[rand.IntN(len(p.s.slots))].Load().url
	body := fmt.Sprintf(`{"target": {"users": [%q]}, "type": "news", "title": "Something happened"}`, reader(1+rand.IntN(readers)))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/v1/notices", strings.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+key)
	var told struct {
		ID json.Number `json:"id"`
	}
	if _, err := p.do(req); err == nil && json.Unmarshal(p.answer, &told) == nil {
		if id, err := told.ID.Int64(); err == nil {
			p.s.book.note(func() { p.s.book.accepted[id] = true })
		}
	}
	pause(ctx)
}
