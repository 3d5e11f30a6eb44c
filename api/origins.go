package api

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	maxRefusedOrigins = 100 // that are logged in one refusedWindow
	refusedWindow     = time.Hour
	maxLoggedOrigin   = 100 // bytes
)

// refusedOrigins logs each origin whose pages are refused once in a while: pages repeat their calls.
type refusedOrigins struct {
	log   *slog.Logger
	now   func() time.Time
	mu    sync.Mutex
	since time.Time
	known map[string]bool
}

// plainOrigin matches origins that a shell takes as one word.
var plainOrigin = regexp.MustCompile(`^https?://[A-Za-z0-9.:\[\]-]{1,90}$`)

// refuse logs that pages at this origin were refused, with the command that would let them in. app is the one whose
// token they have; empty: it is not known.
func (o *refusedOrigins) refuse(ctx context.Context, app, origin string) {
	origin = cleanOrigin(origin)
	if !o.first(app + " " + origin) {
		return
	}
	about := []slog.Attr{slog.String("origin", origin)}
	name := "NAME"
	if app != "" {
		name = app
		about = append(about, slog.String("app", app))
	}
	if plainOrigin.MatchString(origin) {
		about = append(about, slog.String("remedy", "carillon app set "+name+" --origin "+origin))
	}
	o.log.LogAttrs(ctx, slog.LevelWarn, "a page of an unknown origin was refused", about...)
}

// first reports whether this is the first time in refusedWindow. It counts maxRefusedOrigins at most; further ones are
// silent until the next window.
func (o *refusedOrigins) first(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.now(); now.Sub(o.since) >= refusedWindow {
		o.since, o.known = now, map[string]bool{}
	}
	if o.known[name] || len(o.known) >= maxRefusedOrigins {
		return false
	}
	o.known[name] = true
	return true
}

// cleanOrigin returns what a client calls its origin, fit for a log: cut, and without control characters.
func cleanOrigin(origin string) string {
	if len(origin) > maxLoggedOrigin {
		origin = origin[:maxLoggedOrigin] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, origin)
}
