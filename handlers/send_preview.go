package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// previewPart answers a form that is still being written with what can be said
// of it so far: what is wrong, how many get it and how it looks. It asks for
// nothing that the page has already.
func (h *Handlers) previewPart(
	w http.ResponseWriter, r *http.Request, values url.Values, d notifier.Draft, found ...error,
) error {
	count, err := h.reach(r, d)
	var bad *notifier.InvalidError
	if err != nil && !errors.As(err, &bad) {
		return fmt.Errorf("preview a notice: %w", err)
	}
	bad = merge(append(found, err)...)
	p := &views.Send{Frame: h.bareFrame(r), Form: typed(values), Faults: map[string]string{}}
	showFaults(p, bad)
	p.Disappears = h.disappears(r, p.Text, p.Form.ExpiresIn)
	p.Preview = &views.Preview{Card: card(p.Text, d, h.now(r))}
	if !wrongTarget(bad) {
		p.Preview.Recipients = p.Text.N("send.recipients", count)
	}
	// A form that is not written yet is no error, and browsers log each one.
	return h.page(w, r, http.StatusOK, views.SendPart(p))
}

// reach counts the recipients of a draft whose other fields may be empty or
// wrong still: a sender wants the number first. The error is as that of Count.
func (h *Handlers) reach(r *http.Request, d notifier.Draft) (int64, error) {
	count, err := h.Sender.Count(r.Context(), d)
	var bad, more *notifier.InvalidError
	if !errors.As(err, &bad) || wrongTarget(bad) {
		return count, err
	}
	// It stopped before it asked whether there are such people.
	count, err = h.Sender.Count(r.Context(), notifier.Draft{Target: d.Target, Type: "any", Title: "any"})
	if err != nil && !errors.As(err, &more) {
		return 0, err
	}
	return count, merge(bad, err)
}

func wrongTarget(bad *notifier.InvalidError) bool {
	for _, f := range bad.Fields {
		if f.Field == "to" || f.Field == "target" {
			return true
		}
	}
	return false
}
