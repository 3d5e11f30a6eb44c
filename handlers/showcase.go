package handlers

import (
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

const componentsPath = "/staff/components"

// showcase shows the components of pages. Only a demo has this page.
func (h *Handlers) showcase(w http.ResponseWriter, r *http.Request) error {
	if len(h.Demo) == 0 {
		return notifier.ErrNotFound
	}
	p := &views.Showcase{Frame: h.frame(r, "components", "showcase.title")}
	p.Labels = rowLabels(p.Text)
	rows := h.rowMaker(r, p.Text)
	for i, kind := range []string{"comment", "rep_notice", "order", "quality.check"} {
		at := rows.now.Add(-time.Duration(i*i) * time.Hour)
		row := rows.row(&notifier.Entry{
			Key: kind, At: int64(i + 1), Read: i > 1, New: i == 1,
			Content: notifier.Content{Type: kind, Title: p.Text.T("showcase.sample_title"), Body: p.Text.T("showcase.sample_body"), Reason: "role:picker"},
		}, at)
		p.Rows = append(p.Rows, row)
	}
	for i, text := range []string{"settings.theme_auto", "settings.theme_light", "settings.theme_dark"} {
		p.Options = append(p.Options, components.Option{Value: strconv.Itoa(i), Text: p.Text.T(text), Selected: i == 0})
	}
	p.Columns = []components.Column{
		{Text: p.Text.T("notices.column_title"), Href: "#table", Sorted: "ascending"},
		{Text: p.Text.T("notices.column_state")},
		{Text: p.Text.T("notice.delivered"), Number: true},
	}
	p.Bars = []components.Bar{bar(p.Text, "delivered", 812, 1204), bar(p.Text, "read", 97, 1204)}
	p.Empty = inboxEmpty(p.Text, inboxQuery{}, announced{})
	return h.page(w, r, http.StatusOK, views.ShowcasePage(p))
}
