package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// row is a row of an outbox.
type row struct {
	id      int64
	created string // identifies the row together with the id, because ids may return
	size    int64  // of the payload
	payload string // empty if it is too large
}

var (
	errEmpty = errors.New("payload is empty")
	errOther = errors.New("payload was sent before with other contents: insert a new row instead")
)

// fault is the reason why a row is no notice.
type fault struct {
	row  row
	text string
}

// round sends the rows that are there, up to maxRows. It reports whether there may be more. Rows that become notices
// are deleted, faulty ones get their error. Its error is a waitError if Carillon does not accept some rows now; others are
// errors of the database.
func (r *reader) round(ctx context.Context, l *link) (more bool, err error) {
	if err := l.held(ctx); err != nil {
		return false, err
	}
	rows, more, err := l.rows(ctx)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	sent, faults, wait := r.send(ctx, rows)
	if err := l.remove(ctx, sent); err != nil {
		return false, err
	}
	if err := l.mark(ctx, faults); err != nil {
		return false, err
	}
	r.o.count(r.box.Name, func(s *Stats) {
		s.Sent += int64(len(sent))
		s.Faulty += int64(len(faults))
	})
	for _, f := range faults {
		r.log.WarnContext(ctx, "row of an outbox is faulty", "id", f.row.id, "err", f.text)
	}
	if wait != nil {
		return false, waitError{wait}
	}
	return more, nil
}

// send sends rows, with one commit. It returns those that are notices now, those that can be none, and why the
// others wait.
func (r *reader) send(ctx context.Context, rows []row) (sent []row, faults []fault, wait error) {
	app, err := r.app(ctx)
	if err != nil {
		return nil, nil, err
	}
	var requests []notifier.Request
	var places []func(string) string
	var of []row
	for _, at := range rows {
		d, err := r.decode(at, app)
		if err != nil {
			faults = append(faults, fault{at, shorten(err.Error())})
			continue
		}
		requests, places, of = append(requests, d.Request), append(places, d.Place), append(of, at)
	}
	if len(requests) == 0 {
		return nil, faults, nil
	}
	for i, result := range r.o.c.Send(ctx, notifier.Actor{Ref: r.sender}, app, requests) {
		bad := (*notifier.InvalidError)(nil)
		switch err := result.Err; {
		case err == nil:
			sent = append(sent, of[i])
		case errors.As(err, &bad):
			faults = append(faults, fault{of[i], shorten(sentences(bad, places[i]))})
		case errors.Is(err, notifier.ErrOtherRequest):
			faults = append(faults, fault{of[i], errOther.Error()})
		default:
			wait = err
		}
	}
	return sent, faults, wait
}

// app returns the id of the app whose rights the outbox has. It may be revoked at any time.
func (r *reader) app(ctx context.Context) (int64, error) {
	if r.box.App == "" {
		return 0, nil
	}
	a, err := r.o.c.App(ctx, r.box.App)
	return a.ID, err
}

// decode reads the payload of a row.
func (r *reader) decode(at row, app int64) (Decoded, error) {
	switch {
	case at.size > maxPayload:
		return Decoded{}, fmt.Errorf("payload has %d bytes: at most %d", at.size, maxPayload)
	case strings.TrimSpace(at.payload) == "":
		return Decoded{}, errEmpty
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%d %s", at.id, at.created))
	return r.o.c.Decode([]byte(at.payload), From{r.sender, app, hex.EncodeToString(key[:])})
}

// sentences describes the faults of a notice with their fields in the payload.
func sentences(bad *notifier.InvalidError, place func(string) string) string {
	texts := make([]string, len(bad.Fields))
	for i, f := range bad.Fields {
		texts[i] = place(f.Field) + " " + f.Sentence()
	}
	return strings.Join(texts, "; ")
}
