package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	deadLettersPath   = "/staff/deadletters"
	deadLettersOnPage = 50
)

// deadLetters lists dead letters, newest first.
func (h *Handlers) deadLetters(w http.ResponseWriter, r *http.Request) error {
	before := number(r.URL.Query().Get("before"))
	found, err := h.Store.DeadLetters(r.Context(), before, deadLettersOnPage+1)
	if err != nil {
		return fmt.Errorf("list dead letters: %w", err)
	}
	p := &views.DeadLetters{Frame: h.frame(r, "deadletters", "deadletters.title")}
	if before > 0 {
		p.First = deadLettersPath
	}
	if len(found) > deadLettersOnPage {
		found = found[:deadLettersOnPage]
		p.Next = deadLettersPath + "?before=" + strconv.FormatInt(found[deadLettersOnPage-1].ID, 10)
	}
	known, err := h.noticesOf(r.Context(), found)
	if err != nil {
		return err
	}
	p.Empty = components.Empty{Icon: "inbox", Heading: p.Text.T("deadletters.empty_heading"), Text: p.Text.T("deadletters.empty_text")}
	for i := range found {
		p.Rows = append(p.Rows, deadLetterRow(p.Text, &found[i], known, h.now(r)))
	}
	return h.page(w, r, http.StatusOK, views.DeadLettersPage(p))
}

// noticesOf returns the notices of dead letters, without those that no longer exist.
func (h *Handlers) noticesOf(ctx context.Context, letters []notifier.DeadLetter) (map[int64]notifier.Notice, error) {
	var ids []int64
	for i := range letters {
		if letters[i].NoticeID > 0 {
			ids = append(ids, letters[i].NoticeID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	known, err := h.Store.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("look up the notices of %d dead letters: %w", len(letters), err)
	}
	return known, nil
}

func deadLetterRow(text *locale.Printer, d *notifier.DeadLetter, known map[int64]notifier.Notice, now time.Time) views.DeadLetterRow {
	at := d.CreatedAt.In(now.Location())
	id := strconv.FormatInt(d.ID, 10)
	row := views.DeadLetterRow{
		ID: id, Action: deadLettersPath + "/" + id, Reason: kept(d.Reason), Entry: indented(d.Entry), Tries: text.N("deadletters.tries", d.Tries),
	}
	before, after := text.Around("deadletters.put_aside", "Time")
	row.PutAside = views.Dated{
		Before: before, Date: text.Day(at, now) + " " + text.Clock(at), After: after, Datetime: at.Format(time.RFC3339), Moment: text.Moment(at),
	}
	switch n, there := known[d.NoticeID]; {
	case there:
		row.Title, row.Href = n.Title, noticePath(n.ID)
		row.Replay = text.F("deadletters.replay_named", "Title", row.Title)
	case d.NoticeID > 0:
		row.Title = text.F("deadletters.gone_notice", "ID", strconv.FormatInt(d.NoticeID, 10))
	default:
		row.Title = text.T("deadletters.no_notice")
	}
	row.Discard = text.F("deadletters.discard_named", "Title", row.Title)
	return row
}

// indented formats JSON; any other text is returned unchanged.
func indented(entry string) string {
	var nice bytes.Buffer
	if json.Indent(&nice, []byte(entry), "", "  ") != nil {
		return kept(entry)
	}
	return kept(nice.String())
}

// countDeadLetters returns the number of dead letters for the link to their page, or "" if there are none or counting
// fails.
func (h *Handlers) countDeadLetters(r *http.Request, text *locale.Printer) string {
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	n, err := h.Store.CountDeadLetters(ctx)
	if err != nil {
		h.lacks(r, "dead letters", err)
	}
	if n == 0 || err != nil {
		return ""
	}
	return text.Number(n)
}

// deadLettersOf returns the line on a notice's page about parts of its delivery that became dead letters.
func (h *Handlers) deadLettersOf(r *http.Request, text *locale.Printer, noticeID int64) string {
	n, err := h.Store.DeadLettersOf(r.Context(), noticeID)
	if err != nil {
		h.lacks(r, "dead letters", err)
	}
	if n == 0 || err != nil {
		return ""
	}
	return text.N("notice.dead", n)
}

func (h *Handlers) replayDeadLetter(w http.ResponseWriter, r *http.Request) error {
	return h.dealWithDeadLetter(w, r, "replayed", h.Sender.Replay)
}

func (h *Handlers) discardDeadLetter(w http.ResponseWriter, r *http.Request) error {
	return h.dealWithDeadLetter(w, r, "discarded", h.Sender.Discard)
}

func (h *Handlers) dealWithDeadLetter(
	w http.ResponseWriter, r *http.Request, done string, deal func(ctx context.Context, by notifier.Actor, id int64) error,
) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	if _, err := form(r); err != nil {
		return err
	}
	if err := deal(r.Context(), h.actor(r), id); err != nil {
		return err
	}
	redirect(w, r, deadLettersPath+"?done="+done)
	return nil
}
