package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/carillonhq/carillon/notifier"
)

// folding returns entries, some of them too long for a row.
func folding() []notifier.Entry {
	says := []struct{ title, body string }{
		{"Short", "And short."},
		{strings.Repeat("Long title ", 18), ""},
		{"Medium", strings.Repeat("It fits at a desk. ", 5)},
		{"Long", strings.Repeat("It goes on and on. ", 40)},
		{"Lines", "one\ntwo\nthree"},
		{strings.Repeat("長", 60), ""},
		{"A title that is too long for the line of a desk", ""},
		{"A title too long for a phone", ""},
	}
	entries := make([]notifier.Entry, len(says))
	for i, s := range says {
		entries[i] = entry(100-i, noon.Add(-time.Minute), true, false)
		entries[i].Title, entries[i].Body = s.title, s.body
	}
	return entries
}

func TestUnfoldButtonIsNamedAfterItsRowWithoutContainingItsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		show := func() (notifier.Page, error) { return notifier.Page{Entries: folding()}, nil }
		w.inbox.open = func(int64) (notifier.Page, error) { return show() }
		w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return show() }
	})
	for address, want := range map[string]string{
		"/inbox":       "no anywhere anywhere anywhere anywhere anywhere anywhere phone",
		"/inbox/panel": "no anywhere anywhere anywhere anywhere anywhere anywhere phone",
	} {
		r := w.get("alice", address).wantStatus(t, http.StatusOK)
		var got []string
		r.page.Find(".row").Each(func(_ int, row *goquery.Selection) {
			fold := row.Find("details.fold")
			switch {
			case fold.Length() == 0:
				got = append(got, "no")
			default:
				got = append(got, fold.AttrOr("data-folds", "anywhere"))
			}
			title := row.Find("h3 [dir]").Text()
			if fold.Length() > 0 && fold.Text() != "Show more: "+title {
				t.Errorf("%s: the button of %q is named %q", address, title, fold.Text())
			}
			if row.Find("details .body").Length() != 0 {
				t.Errorf("%s: the text of %q is part of a button's name", address, title)
			}
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%s folds %v, want %s", address, got, want)
		}
	}
}
