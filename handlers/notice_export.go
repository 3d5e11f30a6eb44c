package handlers

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	exportPath = noticesPath + ".csv"
	exportMost = 10_000 // maximum rows in a file
	exportPage = 200    // rows held in memory
)

// byteOrderMark starts the file, because Excel assumes another encoding without it.
const byteOrderMark = "\ufeff"

// exportNotices sends the filtered and sorted list of sent notices as CSV, reading one page of rows at a time.
func (h *Handlers) exportNotices(w http.ResponseWriter, r *http.Request) error {
	_, q := h.readSent(r, noticesPath)
	text, now := h.text(r), h.now(r)
	sent, err := h.exported(r, &q, exportMost)
	if err != nil {
		return err
	}
	return h.sendCSV(w, r, "notices", func(out *csv.Writer) error {
		h.writeRow(out, h.exportHeads(text, now))
		for left := exportMost; ; {
			for i := range sent {
				h.writeRow(out, h.exportRow(text, &sent[i], now))
			}
			out.Flush()
			left -= len(sent)
			if len(sent) < exportPage || left <= 0 {
				return nil
			}
			if sent, err = h.exported(r, &q, left); err != nil {
				return err
			}
		}
	})
}

// sendCSV sends a file of a list, named after it and the date, which write writes. Its first rows should have been read before, so
// that a failure can still be a page.
func (h *Handlers) sendCSV(w http.ResponseWriter, r *http.Request, list string, write func(*csv.Writer) error) error {
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+list+"-"+h.now(r).Format(time.DateOnly)+`.csv"`)
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return nil
	}
	_, _ = w.Write([]byte(byteOrderMark)) // the browser may have disconnected
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := write(out); err != nil {
		h.Log.WarnContext(r.Context(), "an export broke off", "list", list, "err", err)
		panic(http.ErrAbortHandler) // a truncated file must not appear complete
	}
	out.Flush()
	return nil
}

// exported reads the next page of an export and advances the query past it.
func (h *Handlers) exported(r *http.Request, q *notifier.NoticeQuery, left int) ([]notifier.Progress, error) {
	q.Limit = min(exportPage, left)
	found, err := h.Sent.Notices(r.Context(), *q)
	if err != nil {
		return nil, fmt.Errorf("export notices: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	if last := found[len(found)-1].ID; q.Oldest {
		q.After = last
	} else {
		q.Before = last
	}
	sent, err := h.Sender.ProgressOf(r.Context(), found)
	if err != nil {
		return nil, fmt.Errorf("load the progress of %d notices: %w", len(found), err)
	}
	return sent, nil
}

func (h *Handlers) exportHeads(text *locale.Printer, now time.Time) []string {
	return []string{
		"ID", text.T("notices.column_title"), text.T("notice.type"), text.T("notice.target"), text.T("notices.sender"), text.T("notices.column_state"),
		text.T("notices.column_time") + " (" + now.Location().String() + ")", text.T("receipt.heading"), text.T("notice.delivered"), text.T("notice.read"),
	}
}

// exportRow formats a notice as a row. An unknown number is empty.
func (h *Handlers) exportRow(text *locale.Printer, n *notifier.Progress, now time.Time) []string {
	state, recipients, delivered, read := string(n.State), "", "", ""
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	if n.Announces() {
		all := allShares(n.Shares)
		state, recipients = string(n.PhaseAt(now)), count(all.Members)
		if all.Counted {
			read = count(all.Reads)
		}
	} else if n.Routed {
		recipients = count(n.Recipients)
		if n.Counted {
			delivered = count(n.Delivered)
		}
		if n.Counted && !n.ReadUnknown {
			read = count(n.Read)
		}
	}
	return []string{
		count(n.ID), n.Title, n.Type, h.targetText(text, n.Target, nil), senderText(text, n.Sender, nil), text.T("state." + state),
		n.CreatedAt.In(now.Location()).Format(time.DateTime), recipients, delivered, read,
	}
}

func (h *Handlers) writeRow(out *csv.Writer, row []string) {
	for i, cell := range row {
		row[i] = plainCell(cell)
	}
	_ = out.Write(row) // the writer keeps the error; see Error
}

// plainCell puts an apostrophe before text that a spreadsheet would run as a formula: people choose titles and names,
// and a formula could send other cells' contents to an attacker.
func plainCell(cell string) string {
	if trimmed := strings.TrimLeft(cell, " \u00a0\u3000"); trimmed != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(trimmed)[0]) {
		return "'" + cell
	}
	return cell
}
