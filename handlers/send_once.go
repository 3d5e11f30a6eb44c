package handlers

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// onceBytes is how much chance is in the token of a form, and onceLength how long
// it is as text.
const onceBytes, onceLength = 16, 22

// newOnce is the token of a new form.
func newOnce() string {
	var b [onceBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// onceOf is a token that came, or nothing when it cannot be one of ours.
func onceOf(text string) string {
	if _, err := base64.RawURLEncoding.DecodeString(text); err != nil || len(text) != onceLength {
		return ""
	}
	return text
}

// sendOnce sends what a form says, and only once however often the form comes: a
// double click, Back, or Try again after an answer that nobody heard lead to the
// notice of the first. Without a token each is a notice of its own.
func (h *Handlers) sendOnce(r *http.Request, d notifier.Draft, token string) (notifier.Notice, error) {
	if token == "" {
		return h.Sender.SendOnce(r.Context(), d, nil)
	}
	digest, err := digestOf(d)
	if err != nil {
		return notifier.Notice{}, err
	}
	once := notifier.Once{Owner: "form:" + strconv.FormatInt(seqOf(r), 10), Key: token, Digest: digest}
	n, err := h.Sender.SendOnce(r.Context(), d, &once)
	if errors.Is(err, notifier.ErrOtherRequest) {
		// Back, and something was changed: another notice, which is to be sent once
		// as well.
		once.Key = token + ":" + base64.RawURLEncoding.EncodeToString(digest)
		n, err = h.Sender.SendOnce(r.Context(), d, &once)
	}
	return n, err
}

// digestOf is the same for drafts that say the same, however they were typed. It
// depends on no clock: a window without a beginning has none.
func digestOf(d notifier.Draft) ([]byte, error) {
	_ = d.Validate(notifier.Limits{}) // for its normal form; its faults are told by who sends it
	d.StartsAt, d.EndsAt = d.StartsAt.UTC(), d.EndsAt.UTC()
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode a draft: %w", err)
	}
	digest := sha256.Sum256(text)
	return digest[:], nil
}
