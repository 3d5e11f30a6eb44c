package components

import (
	"context"
	"io"
	"sync"
)

// Labels are the texts that every row has.
type Labels struct {
	New, Unread, SeenBefore                        string
	More, Less                                     string
	MarkRead, MarkUnread, Delete, Mute             string
	ReadNamed, UnreadNamed, DeleteNamed, MuteNamed Named // the accessible names of the four actions
}

// Named is a text around the title of a row.
type Named struct{ Before, After string }

// Row is one entry.
type Row struct {
	Key      string
	ID       string // of the notice
	At       string
	Type     string
	Kind     string // what the type is called; empty: it has no name, or Reason has it
	NoMute   bool   // the type cannot be muted
	Icon     string // by the kind of notice; empty: its initials
	Initials string
	Tint     string // 1 to 6
	Read     bool   // the state before this opening
	New      bool   // this opening, or the one this page belongs to, turned it
	Divider  bool   // the rows before this one are new, it is not
	Title    string
	Body     string
	Link     string
	Reason   string
	Long     bool   // the body may be longer than a row shows
	Datetime string // RFC 3339
	Clock    string
	Moment   string
}

// Rows is the rows of a list. It is the one part of the pages that is not
// written in templ: an inbox of 30 rows has some 900 values, which is nearly
// all a page costs, and here a value costs a tenth.
type Rows struct {
	Labels *Labels
	Icons  Icons
	Back   string // the page to come back to from an action; empty: rows without actions
	Test   string // data-testid; empty: entry
	Rows   []Row
}

// rowBuffer is where rows are written, and the values of one row that stand in
// it several times.
type rowBuffer struct{ out, key, typ, title markup }

var rowBuffers = sync.Pool{New: func() any { return &rowBuffer{out: markup{make([]byte, 0, 64<<10)}} }}

// Render writes the rows.
func (l Rows) Render(_ context.Context, w io.Writer) error {
	buf, _ := rowBuffers.Get().(*rowBuffer)
	defer rowBuffers.Put(buf)
	buf.out.b = buf.out.b[:0]
	var actions []action
	if l.Back != "" {
		actions = l.actions()
	}
	for i := range l.Rows {
		l.row(buf, &l.Rows[i], actions)
	}
	_, err := w.Write(buf.out.b)
	return err
}

func (l Rows) row(buf *rowBuffer, r *Row, actions []action) {
	m := &buf.out
	if r.Divider {
		m.raw(`<li class="divider" data-testid="divider">`).text(l.Labels.SeenBefore).raw(`</li>`)
	}
	read, state := "0", "unread"
	if r.Read {
		read = "1"
	}
	if r.Read || r.New {
		state = "read"
	}
	if l.Test == "" {
		m.raw(`<li class="row" tabindex="-1" id="e`).text(r.At).raw(`" data-testid="entry" data-id="`).text(r.ID).raw(`" data-key="`).text(r.Key)
	} else {
		m.raw(`<li class="row" data-testid="`).text(l.Test).raw(`" data-key="`).text(r.Key)
	}
	m.raw(`" data-read="`).raw(read).raw(`" data-state="`).raw(state).raw(`" data-at="`).text(r.At).raw(`">`)
	l.avatar(m, r)
	m.raw(`<article>`)
	l.heading(m, r)
	l.body(m, r)
	m.raw(`<p class="meta"><span>`).text(r.Reason).raw(`</span> `)
	if r.Kind != "" {
		m.raw(`<span class="kind" dir="auto">`).text(r.Kind).raw(`</span> `)
	}
	m.raw(`<span class="exact">`).text(r.Moment)
	m.raw(`</span></p></article><time datetime="`).text(r.Datetime).raw(`">`).text(r.Clock).raw(`</time>`)
	if len(actions) > 0 {
		buf.actions(r, actions)
	}
	m.raw(`</li>`)
}

func (l Rows) avatar(m *markup, r *Row) {
	m.raw(`<span class="avatar tint-`).text(r.Tint).raw(`" aria-hidden="true">`)
	if r.Icon == "" {
		m.text(r.Initials)
	} else {
		l.icon(m, r.Icon)
	}
	m.raw(`</span>`)
}

func (l Rows) icon(m *markup, name string) {
	m.raw(`<svg class="icon" aria-hidden="true"><use href="`).text(string(l.Icons)).raw(`#`).text(name).raw(`"></use></svg>`)
}

func (l Rows) heading(m *markup, r *Row) {
	m.raw(`<h3>`)
	switch {
	case r.New:
		m.raw(`<span class="mark">`).text(l.Labels.New).raw(`</span> `)
	case !r.Read:
		m.raw(`<span class="dot"><span class="sr-only">`).text(l.Labels.Unread).raw(`</span></span> `)
	}
	if r.Link == "" {
		m.raw(`<span dir="auto">`).text(r.Title).raw(`</span>`)
	} else {
		m.raw(`<a dir="auto" href="`).text(r.Link).raw(`">`).text(r.Title).raw(`</a>`)
	}
	m.raw(`</h3>`)
}

// body is cut after two lines by the style sheet. A long one is folded: all of
// it is there to be unfolded, also without script.
func (l Rows) body(m *markup, r *Row) {
	switch {
	case r.Body == "":
	case r.Long && l.Labels.More != "":
		m.raw(`<details class="fold"><summary><span class="body" dir="auto">`).text(r.Body)
		m.raw(`</span> <span class="more">`).text(l.Labels.More).raw(`</span><span class="less">`).text(l.Labels.Less)
		m.raw(`</span></summary></details>`)
	default:
		m.raw(`<p class="body" dir="auto">`).text(r.Body).raw(`</p>`)
	}
}
