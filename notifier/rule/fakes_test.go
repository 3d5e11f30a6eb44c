package rule_test

import (
	"context"
	"strings"
	"sync"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

// watch is a store that counts the saved runs that have ended.
type watch struct {
	rule.Store
	mu    sync.Mutex
	ended int
}

func (w *watch) SaveRun(ctx context.Context, run notifier.RuleRun) error {
	err := w.Store.SaveRun(ctx, run)
	if !run.EndedAt.IsZero() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended++
	}
	return err
}

func (w *watch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// fakeLease is a lease that the test makes available or not.
type fakeLease struct {
	mu   sync.Mutex
	away bool
	n    int
	left int // number of releases
}

func (l *fakeLease) Hold(context.Context) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	if l.away {
		return false, errAway
	}
	return true, nil
}

func (l *fakeLease) Release(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left++
	return nil
}

func (l *fakeLease) released() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}

func (l *fakeLease) set(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

func (l *fakeLease) asked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

// swap replaces a part of a text, and panics if it is missing.
func swap(text, old, with string) string {
	if !strings.Contains(text, old) {
		panic("no " + old + " in " + text)
	}
	return strings.Replace(text, old, with, 1)
}
