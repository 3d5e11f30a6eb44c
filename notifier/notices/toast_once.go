package notices

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// toastRecord is the record that Redis keeps of a repeatable request. Its Token makes raising the same toast twice
// harmless. The record is next to the toast and not in SQL, as for notices: if Redis loses the toast, it loses the
// record too, and the repeated request raises the toast again.
type toastRecord struct {
	Digest []byte `json:"digest"`
	Users  int64  `json:"users"`
	Ends   int64  `json:"ends"` // ms
	Token  string `json:"token"`
	Done   bool   `json:"done,omitempty"` // raised for all users
}

// earlierToast returns the record of an earlier identical request; nil: there was none.
func (p *Notices) earlierToast(ctx context.Context, once *notifier.Once) (*toastRecord, error) {
	if once == nil {
		return nil, nil
	}
	text, err := p.c.Redis.Get(ctx, p.toastKey(once)).Bytes()
	return readToastRecord(once, text, err)
}

// claimToast stores rec for the first request of its key, or returns the earlier record.
func (p *Notices) claimToast(ctx context.Context, once *notifier.Once, rec toastRecord) (*toastRecord, error) {
	if once == nil {
		return nil, nil
	}
	text, err := json.Marshal(rec.of(once))
	if err != nil {
		return nil, fmt.Errorf("encode a toast request: %w", err)
	}
	was, err := p.c.Redis.SetArgs(ctx, p.toastKey(once), text, redis.SetArgs{Mode: "NX", Get: true, TTL: delivery.KeepKeys}).Bytes()
	return readToastRecord(once, was, err)
}

// settleToast records that the request is finished. If that fails, a repeated request raises the same
// toasts again, which has no effect.
func (p *Notices) settleToast(ctx context.Context, once *notifier.Once, rec toastRecord) {
	if once == nil {
		return
	}
	rec.Done = true
	text, err := json.Marshal(rec.of(once))
	if err == nil {
		err = p.c.Redis.SetArgs(ctx, p.toastKey(once), text, redis.SetArgs{Mode: "XX", KeepTTL: true}).Err()
	}
	if err != nil {
		p.c.Log.DebugContext(ctx, "could not mark a toast request as done", "stage", "toast", "err", err)
	}
}

func (rec toastRecord) of(once *notifier.Once) toastRecord {
	rec.Digest = once.Digest
	return rec
}

func (p *Notices) toastKey(once *notifier.Once) string {
	sum := sha256.Sum256([]byte(once.Owner.Token() + "\x00" + once.Key))
	return p.c.Keys.ToastRequest(hex.EncodeToString(sum[:]))
}

func readToastRecord(once *notifier.Once, text []byte, err error) (*toastRecord, error) {
	switch {
	case errors.Is(err, redis.Nil):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for an earlier request: %w", script.MarkAway(err))
	}
	var rec toastRecord
	if err := json.Unmarshal(text, &rec); err != nil {
		return nil, fmt.Errorf("read an earlier request: %w", err)
	}
	if !bytes.Equal(rec.Digest, once.Digest) {
		return nil, notifier.ErrOtherRequest
	}
	return &rec, nil
}
