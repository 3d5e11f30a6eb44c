package handlers

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// onceBytes is the number of random bytes in a form's token, and onceLength its length as text.
const onceBytes, onceLength = 16, 22

// newOnce creates the token of a new form.
func newOnce() string {
	var b [onceBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// onceOf returns a submitted token, or "" if we cannot have created it.
func onceOf(text string) string {
	if _, err := base64.RawURLEncoding.DecodeString(text); err != nil || len(text) != onceLength {
		return ""
	}
	return text
}

// sendOnce sends a form's notice only once, however often the form is submitted: after a double click, Back, or a
// retry after a lost response, it returns the first submission's notice. Without a token, each submission sends a
// notice.
//
// typed is the draft as the user typed it. It identifies the request, because unlike the confirmed draft it does not
// depend on the time.
func (h *Handlers) sendOnce(r *http.Request, typed notifier.Draft, sure notifier.Confirmed, token string) (notifier.Notice, error) {
	if token == "" {
		return h.Sender.Send(r.Context(), h.actor(r), sure, nil)
	}
	digest, err := digestOf(typed)
	if err != nil {
		return notifier.Notice{}, err
	}
	once := notifier.Once{Owner: notifier.UserRef(visitOf(r).user.User), Key: token, Digest: digest}
	n, err := h.Sender.Send(r.Context(), h.actor(r), sure, &once)
	if errors.Is(err, notifier.ErrOtherRequest) {
		// The user went back and changed something. This is another notice, which must be sent only once too.
		once.Key = token + ":" + base64.RawURLEncoding.EncodeToString(digest)
		n, err = h.Sender.Send(r.Context(), h.actor(r), sure, &once)
	}
	return n, err
}

// digestOf is equal for equivalent drafts, however they were typed. It does not depend on the clock: a window without
// a start keeps none.
func digestOf(d notifier.Draft) ([]byte, error) {
	d.Normalise()
	if d.ExpiresIn == 0 {
		d.ExpiresIn = notifier.DefaultKeep // as in stored digests
	}
	d.SendAt, d.StartsAt, d.EndsAt = d.SendAt.UTC(), d.StartsAt.UTC(), d.EndsAt.UTC()
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode a draft: %w", err)
	}
	digest := sha256.Sum256(text)
	return digest[:], nil
}
