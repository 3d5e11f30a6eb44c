package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// boardTasks is how many tasks a board shows that nobody has, and as many that somebody has.
const boardTasks = 50

// board shows the tasks of a role to whoever has the link, without a session. The page loads itself again every other second, so an answer without news is a 304.
// A revoked token is like an unknown one.
func (h *Handlers) board(w http.ResponseWriter, r *http.Request) error {
	private(w.Header())
	p := &views.Board{Text: h.text(r), Assets: h.assets, Role: r.PathValue("role")}
	valid, err := h.Store.HasBoard(r.Context(), p.Role, r.PathValue("token"))
	if err == nil && !valid {
		err = h.strangers.refuse(visitOf(r).Address, h.Now())
	}
	if err == nil {
		p.Open, p.More, err = h.boardTasks(r, p, true)
	}
	if err == nil {
		p.Taken, p.Rest, err = h.boardTasks(r, p, false)
	}
	if err != nil {
		return fmt.Errorf("show a board: %w", err)
	}
	return h.render(r, views.BoardPage(p), func(body []byte) {
		tag := weak(`"` + strconv.FormatUint(sum(string(body)), 36) + `"`)
		w.Header().Set("Etag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		writePage(w, http.StatusOK, pack(r, body))
	})
}

// boardTasks returns the tasks of a board that nobody has, or that somebody has, and whether there are more.
func (h *Handlers) boardTasks(r *http.Request, p *views.Board, open bool) (rows []views.BoardTask, more bool, err error) {
	found, err := h.Store.Tasks(r.Context(), notifier.TaskQuery{Open: open, Role: p.Role, Limit: boardTasks + 1})
	if more = len(found) > boardTasks; more {
		found = found[:boardTasks]
	}
	for i := range found {
		rows = append(rows, boardTask(p.Text, &found[i], h.Now()))
	}
	return rows, more, err
}

func boardTask(text *locale.Printer, t *notifier.Task, now time.Time) views.BoardTask {
	since, taken := t.SentAt(), t.Taken.State() == notifier.TaskTaken
	if taken {
		since = t.Taken.At
	}
	row := views.BoardTask{Title: t.Title, Overdue: t.Late(now), Datetime: since.UTC().Format(time.RFC3339)}
	waited := now.Sub(since).Truncate(time.Minute)
	switch {
	case taken && waited > 0:
		row.Since = text.F("board.has", "Name", holderText(text, &t.Taken), "Time", timeLeft(text, waited))
	case taken:
		row.Since = text.F("board.has_now", "Name", holderText(text, &t.Taken))
	case waited > 0:
		row.Since = text.F("board.since", "Time", timeLeft(text, waited))
	default:
		row.Since = text.T("board.just_now")
	}
	return row
}
