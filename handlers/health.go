package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// healthWait is the time limit of each health check.
const healthWait = 2 * time.Second

// healthy responds as long as the process runs.
func (h *Handlers) healthy(w http.ResponseWriter, _ *http.Request) error {
	plain(w, http.StatusOK, "ok")
	return nil
}

// ready reports whether pages work, and if not, why.
func (h *Handlers) ready(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), healthWait)
	defer cancel()
	now := h.Health.Ready(ctx)
	status := http.StatusOK
	if !now.Down && len(now.Causes) == 0 {
		h.heard.Store(h.Now().UnixMilli())
	}
	if now.Down {
		w.Header().Set("Retry-After", retryAfter(notifier.ErrUnavailable))
		status = http.StatusServiceUnavailable
	}
	plain(w, status, now.String())
	return nil
}

// redisAway reports whether Redis is unavailable, in which case unfinished work waits for it.
func (h *Handlers) redisAway(r *http.Request) bool {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	if h.Health.Redis(ctx) != nil {
		return true
	}
	h.heard.Store(h.Now().UnixMilli())
	return false
}

// plain responds with plain text, for programs.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may have disconnected
}

// filePolicy is the policy for static files, which load nothing. It is shorter than the pages' policy.
const filePolicy = "default-src 'none'"

func (h *Handlers) static(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Security-Policy", filePolicy)
	if !h.files.Serve(w, r) {
		w.Header().Set("Content-Security-Policy", h.policy)
		return notifier.ErrNotFound
	}
	return nil
}

func (h *Handlers) nowhere(http.ResponseWriter, *http.Request) error { return notifier.ErrNotFound }
