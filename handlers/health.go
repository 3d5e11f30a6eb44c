package handlers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// healthWait bounds each health check.
const healthWait = 2 * time.Second

// healthy reports that the process answers.
func (h *Handlers) healthy(w http.ResponseWriter, _ *http.Request) error {
	plain(w, http.StatusOK, "ok")
	return nil
}

// ready reports whether pages work. Without Redis they do in part, so that is only "degraded".
func (h *Handlers) ready(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), healthWait)
	defer cancel()
	sql, redis := h.Health.SQL(ctx), h.Health.Redis(ctx)
	if redis == nil {
		h.heard.Store(h.Now().UnixMilli())
	}
	switch {
	case sql != nil:
		h.Log.LogAttrs(ctx, slog.LevelWarn, "not ready", slog.Any("err", sql))
		w.Header().Set("Retry-After", retryAfter(sql))
		plain(w, http.StatusServiceUnavailable, unreadyText(sql))
	case redis != nil:
		h.Log.LogAttrs(ctx, slog.LevelWarn, "degraded", slog.Any("err", redis))
		plain(w, http.StatusOK, "degraded")
	default:
		plain(w, http.StatusOK, "ok")
	}
	return nil
}

// unreadyText is what /readyz says: a schema that does not fit this program has its own cure, and the sentence
// holds nothing secret.
func unreadyText(err error) string {
	if unfit := (*notifier.UnfitError)(nil); errors.As(err, &unfit) {
		return unfit.Error()
	}
	return "unavailable"
}

// redisAway reports whether Redis is unavailable, so that unfinished work waits for it.
func (h *Handlers) redisAway(r *http.Request) bool {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	return h.Health.Redis(ctx) != nil
}

// plain sends plain text, for programs.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may have disconnected
}

// filePolicy is for files, which are no pages and load nothing. It is shorter than the one for pages.
const filePolicy = "default-src 'none'"

func (h *Handlers) static(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Security-Policy", filePolicy)
	if !h.files.Serve(w, r) {
		w.Header().Set("Content-Security-Policy", policy)
		return notifier.ErrNotFound
	}
	return nil
}

func (h *Handlers) nowhere(http.ResponseWriter, *http.Request) error { return notifier.ErrNotFound }
