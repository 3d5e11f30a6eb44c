package views

import (
	"context"
	"io"
	"sync"
)

// rows is the rows of a day. It is the one part of the pages that is not
// written in templ: an inbox of 30 rows has some 700 values, which is nearly
// all a page costs, and here a value costs a tenth.
type rows struct {
	labels *Labels
	back   string
	rows   []Row
}

var rowBuffers = sync.Pool{New: func() any { return &markup{b: make([]byte, 0, 32<<10)} }}

// Render writes the rows.
func (l rows) Render(_ context.Context, w io.Writer) error {
	m, _ := rowBuffers.Get().(*markup)
	defer rowBuffers.Put(m)
	m.b = m.b[:0]
	for i := range l.rows {
		l.row(m, &l.rows[i])
	}
	_, err := w.Write(m.b)
	return err
}

func (l rows) row(m *markup, r *Row) {
	if r.Divider {
		m.raw(`<li class="divider" data-testid="divider">`).text(l.labels.SeenBefore).raw(`</li>`)
	}
	read, state := "0", "unread"
	if r.Read {
		read = "1"
	}
	if r.Read || r.New {
		state = "read"
	}
	m.raw(`<li class="row" data-testid="entry" data-key="`).text(r.Key)
	m.raw(`" data-read="`).raw(read).raw(`" data-state="`).raw(state).raw(`" data-at="`).text(r.At).raw(`"><article>`)
	l.heading(m, r)
	if r.Body != "" {
		m.raw(`<p class="body" dir="auto">`).text(r.Body).raw(`</p>`)
	}
	m.raw(`<p class="meta"><time datetime="`).text(r.Datetime).raw(`" title="`).text(r.Moment).raw(`">`).text(r.Clock)
	m.raw(`</time> <span>`).text(r.Reason).raw(`</span></p></article><div class="actions">`)
	if state == "unread" {
		l.action(m, r, "/inbox/read", l.labels.MarkRead, l.labels.ReadNamed)
	} else {
		l.action(m, r, "/inbox/unread", l.labels.MarkUnread, l.labels.UnreadNamed)
	}
	l.action(m, r, "/inbox/delete", l.labels.Delete, l.labels.Named)
	m.raw(`</div></li>`)
}

func (l rows) heading(m *markup, r *Row) {
	m.raw(`<h3 dir="auto">`)
	switch {
	case r.New:
		m.raw(`<span class="mark">`).text(l.labels.New).raw(`</span> `)
	case !r.Read:
		m.raw(`<span class="mark">`).text(l.labels.Unread).raw(`</span> `)
	}
	if r.Link == "" {
		m.text(r.Title)
	} else {
		m.raw(`<a href="`).text(r.Link).raw(`">`).text(r.Title).raw(`</a>`)
	}
	m.raw(`</h3>`)
}

// action is a form with one button, which is named with the row's title.
func (l rows) action(m *markup, r *Row, address, label string, named Named) {
	m.raw(`<form method="post" action="`).raw(address).raw(`"><input type="hidden" name="key" value="`).text(r.Key)
	m.raw(`"><input type="hidden" name="back" value="`).text(l.back)
	m.raw(`"><button type="submit" aria-label="`).text(named.Before).text(r.Title).text(named.After)
	m.raw(`">`).text(label).raw(`</button></form>`)
}
