package handlers

import (
	"net/http"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

const unsubscribePath = links.TargetPath

// Limits on unknown tokens: an address may try this many at once, and as many again each minute.
const (
	unknownTokens  = 20
	unknownCallers = 10_000 // addresses counted at a time
)

// strangers counts the unknown tokens that each address tries.
type strangers struct {
	limits *otter.Cache[string, *rate.Limiter]
}

func newStrangers(now func() time.Time) *strangers {
	return &strangers{otter.Must(&otter.Options[string, *rate.Limiter]{
		MaximumSize: unknownCallers, ExpiryCalculator: otter.ExpiryAccessing[string, *rate.Limiter](2 * time.Minute), Clock: clock(now),
	})}
}

// refuse counts one unknown token and returns notifier.ErrNotFound, or a *notifier.TooManyError after too many.
func (s *strangers) refuse(address string, now time.Time) error {
	limit, _ := s.limits.ComputeIfAbsent(address, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(rate.Every(time.Minute/unknownTokens), unknownTokens), false
	})
	if limit != nil && !limit.AllowN(now, 1) {
		return &notifier.TooManyError{RetryAfter: time.Minute}
	}
	return notifier.ErrNotFound
}

// unsubscribePage asks whether to unsubscribe. It changes nothing, because mail scanners follow links.
func (h *Handlers) unsubscribePage(w http.ResponseWriter, r *http.Request) error {
	token := r.PathValue("token")
	if _, _, err := h.tokenUser(r); err != nil {
		return err
	}
	private(w.Header())
	p := &views.Unsubscribe{Frame: h.bareFrame(r), Action: unsubscribePath + token, Settings: tokenSettings(token)}
	p.Title = p.Text.T("unsubscribe.title")
	return h.page(w, r, http.StatusOK, views.UnsubscribePage(p))
}

// stopTelling unsubscribes the user. The token authorizes it: no session or browser header is needed, because mail
// programs send this request themselves (RFC 8058).
func (h *Handlers) stopTelling(w http.ResponseWriter, r *http.Request) error {
	err := h.People.Unsubscribe(r.Context(), r.PathValue("token"), visitOf(r).Address)
	if statusOf(err) == http.StatusNotFound {
		return h.strangers.refuse(visitOf(r).Address, h.Now())
	}
	if err != nil {
		return err
	}
	private(w.Header())
	p := &views.Unsubscribe{Frame: h.bareFrame(r), Settings: tokenSettings(r.PathValue("token"))}
	p.Title = p.Text.T("unsubscribe.done")
	return h.page(w, r, http.StatusOK, views.UnsubscribePage(p))
}
