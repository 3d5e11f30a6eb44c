package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

const (
	sendWait  = 15 * time.Second // for the whole answer
	maxAnswer = 4 << 10          // bytes of an answer that are read, so that the connection can be used again
	maxHeader = 64 << 10         // bytes of its header
)

// NewClient returns a client for a transport, which must refuse private addresses. It follows no redirects: they could lead
// anywhere.
func NewClient(t *http.Transport) *http.Client {
	t.MaxResponseHeaderBytes = maxHeader
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// signers returns what signs the messages of a hook: its secret, and the one before while that is valid.
func (s *Stage) signers(ctx context.Context, h *notifier.SealedHook) ([]*standardwebhooks.Webhook, error) {
	secret, fresh, err := s.hooks.seal.Open(h.Secret, h.Name)
	if err != nil {
		return nil, err
	}
	texts := [][]byte{secret}
	var old []byte
	if h.OldUntil.After(s.c.Now()) && len(h.Old) > 0 {
		var oldFresh bool
		if old, oldFresh, err = s.hooks.seal.Open(h.Old, h.Name); err != nil {
			return nil, err
		}
		texts, fresh = append(texts, old), fresh && oldFresh
	}
	if !fresh {
		s.reseal(ctx, h, secret, old)
	}
	signers := make([]*standardwebhooks.Webhook, len(texts))
	for i, text := range texts {
		if signers[i], err = standardwebhooks.NewWebhook(string(text)); err != nil {
			return nil, errSecret // the library's error may contain it
		}
	}
	return signers, nil
}

var errSecret = errors.New("the stored secret is none")

// reseal stores the secrets of a hook under the first session key, so that the older one can be dropped.
func (s *Stage) reseal(ctx context.Context, h *notifier.SealedHook, secret, old []byte) {
	sealed, err := s.hooks.seal.Seal(secret, h.Name)
	sealedOld := []byte{}
	if err == nil && old != nil {
		sealedOld, err = s.hooks.seal.Seal(old, h.Name)
	}
	if err == nil {
		err = s.c.Store.ResealHook(ctx, h, sealed, sealedOld)
	}
	if err != nil {
		s.c.Log.WarnContext(ctx, "could not seal the secret of a webhook under the first session key; retrying", "stage", "hook", "hook", h.Name, "err", err)
	}
}

// send sends a claimed event once, and returns the result. gone reports that the receiver wants no more events.
func (s *Stage) send(ctx context.Context, h *notifier.SealedHook, signers []*standardwebhooks.Webhook, e notifier.HookEvent) (ended store.EndedTry, gone bool) {
	ended = store.EndedTry{Event: e, Claim: e.DueAt}
	status, after, err := s.post(ctx, h, signers, &e)
	to := &ended.Event
	to.Tries++
	to.Status = status
	if err == nil {
		to.State, to.Error = notifier.HookDelivered, ""
		s.delivered.Add(1)
		return ended, false
	}
	s.failed.Add(1)
	to.Error = err.Error()
	now := s.c.Now()
	delay, again := next(to.Tries)
	if !again {
		to.State = notifier.HookFailed
	}
	to.DueAt = now.Add(max(delay, after))
	return ended, status == http.StatusGone
}

// post sends one message. An error describes why it was not accepted, without the address, which may contain secrets of the receiver.
func (s *Stage) post(ctx context.Context, h *notifier.SealedHook, signers []*standardwebhooks.Webhook, e *notifier.HookEvent) (status int, after time.Duration, err error) {
	now := s.c.Now()
	signatures := make([]string, len(signers))
	for i, signer := range signers {
		if signatures[i], err = signer.Sign(e.ID, now, e.Body); err != nil {
			return 0, 0, errSecret
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(e.Body))
	if err != nil {
		return 0, 0, errors.New("the address cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Carillon")
	req.Header.Set(standardwebhooks.HeaderWebhookID, e.ID)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	client := s.c.Client
	if req.URL.Scheme == "http" {
		client = s.c.Plain
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, 0, reason(err)
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // the status is all that counts
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		return res.StatusCode, 0, nil
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return res.StatusCode, 0, fmt.Errorf("answered %d, and redirects are not followed", res.StatusCode)
	}
	return res.StatusCode, retryAfter(res.StatusCode, res.Header, now), fmt.Errorf("answered %d", res.StatusCode)
}

// reason returns why there was no answer, without the address.
func reason(err error) error {
	var dns *net.DNSError
	var op *net.OpError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, outbound.ErrPrivate):
		return outbound.ErrPrivate
	case errors.As(err, &dns) && dns.IsNotFound:
		return errors.New("the name has no address")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("no answer within 15 seconds")
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("no connection: %w", op.Err)
	case errors.As(err, &op):
		return fmt.Errorf("the connection was cut: %w", op.Err)
	}
	if inner := errors.Unwrap(err); inner != nil { // a *url.Error begins with the address
		err = inner
	}
	return fmt.Errorf("no answer: %w", err)
}
