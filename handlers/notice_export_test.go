package handlers_test

import (
	"encoding/csv"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/notifier"
)

func TestCellsOfAnExportAreNoFormulas(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"": "", "Hello": "Hello", "a=1": "a=1", "1 of 2": "1 of 2", "'quoted": "'quoted", " ": " ",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1",
		" =1": "' =1", "\u00a0=1": "'\u00a0=1", "＝1": "'＝1", "＠x": "'＠x",
	} {
		if got := handlers.PlainCell(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
}

// export downloads the file and parses it.
func (w *world) export(t *testing.T, address string) [][]string {
	t.Helper()
	r := w.get("carol", address, inTokyo...).wantStatus(t, http.StatusOK)
	if got := r.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("the file is %s", got)
	}
	text, marked := strings.CutPrefix(r.body, "\ufeff")
	if !marked {
		t.Error("Excel would not detect the encoding")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestSentNoticesAreExported(t *testing.T) {
	t.Parallel()
	evil := notice(7, notifier.StateSent)
	evil.Title = "=HYPERLINK(\"https://evil.example\",\"x\")"
	early := notice(6, notifier.StateAccepted)
	early.Routed = false
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(q notifier.NoticeQuery) ([]notifier.Notice, error) {
			if q.State != "sent" {
				t.Errorf("the filters are %+v", q)
			}
			return []notifier.Notice{evil, early}, nil
		}
	})
	want := [][]string{
		{"ID", "Title", "Category", "To", "Sender", "State", "Sent at (Asia/Tokyo)", "Recipients", "Delivered", "Read"},
		{"7", "'" + evil.Title, "like", "a, b, c and 2 more", "carol", "Sent", "2026-11-20 20:00:00", "1500", "1400", "30"},
		{"6", "Hello", "like", "a, b, c and 2 more", "carol", "Accepted", "2026-11-20 20:00:00", "", "", ""},
	}
	if diff := cmp.Diff(want, w.export(t, "/staff/notices.csv?state=sent&before=3")); diff != "" {
		t.Error(diff)
	}
	w.get("alice", "/staff/notices.csv").wantStatus(t, http.StatusNotFound)
	w.get("", "/staff/notices.csv").wantStatus(t, http.StatusSeeOther)
}

func TestExportIsReadInPagesAndBounded(t *testing.T) {
	t.Parallel()
	next, biggest := int64(30_000), 0
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(q notifier.NoticeQuery) ([]notifier.Notice, error) {
			if q.Before != 0 && q.Before != next+1 {
				t.Errorf("a page begins before %d, want %d", q.Before, next+1)
			}
			biggest = max(biggest, q.Limit)
			var list []notifier.Notice
			for range q.Limit {
				list = append(list, notice(next, notifier.StateSent))
				next--
			}
			return list, nil
		}
	})
	if rows := w.export(t, "/staff/notices.csv"); len(rows) != 10_001 || biggest > 200 {
		t.Errorf("%d rows in pages of %d", len(rows), biggest)
	}

	w.sent.notices = func(notifier.NoticeQuery) ([]notifier.Notice, error) { return nil, errors.New("away") }
	w.get("carol", "/staff/notices.csv").wantStatus(t, http.StatusInternalServerError)
}

func TestExportThatBreaksOffDoesNotLookWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(q notifier.NoticeQuery) ([]notifier.Notice, error) {
			if q.Before != 0 {
				return nil, notifier.ErrUnavailable
			}
			list := make([]notifier.Notice, q.Limit)
			for i := range list {
				list[i] = notice(int64(1000-i), notifier.StateSent)
			}
			return list, nil
		}
	})
	defer func() {
		if got := recover(); got != http.ErrAbortHandler { //nolint:errorlint // a value, as the server compares it
			t.Errorf("the answer ends with %v, want the connection cut", got)
		}
	}()
	w.get("carol", "/staff/notices.csv")
}
