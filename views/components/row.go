package components

import (
	"context"
	"io"
	"sync"
)

// Labels are the texts common to all rows.
type Labels struct {
	New, Unread                         string
	MoreNamed                           Named // the accessible name of unfolding
	MarkRead, MarkUnread, Delete        string
	ReadNamed, UnreadNamed, DeleteNamed Named // the accessible names of the actions
	ActionsNamed                        Named
	Archive, Unarchive                  string
	ArchiveNamed, UnarchiveNamed        Named
	Snooze, Wake                        string
	SnoozeNamed, WakeNamed              Named
	Answer, Comment                     string // the answer to a question
}

// Named is a text around the title of a row.
type Named struct{ Before, After string }

// Row is one inbox entry.
type Row struct {
	Post     string // of an announcement: its id; it has no key and no At
	Key      string
	ID       string // of the notice
	At       string
	Type     string
	Kind     string // the name of the type; empty: it has none, or Reason has it
	Mute     *Mute  // nil: the type cannot be muted
	Icon     string // of the type; empty: show the initials
	Initials string
	Tint     string // one of notifier.TypeColors
	Read     bool   // as it was before this opening
	New      bool   // marked read by this opening, or by the one this page belongs to
	Title    string
	Body     string
	Link     string
	Outside  bool   // Link and those of the buttons are not paths of ours
	Reason   string // why it came, in a word or two; empty: it was sent to the reader alone
	Why      string // the same in a sentence
	From     From   // the app that sent it
	Folds    Fold   // where a row may be cut off
	Datetime string // RFC 3339
	Clock    string
	Until    string // when a snoozed row comes back; empty: it is not snoozed
	Moment   string
	Ask      *Ask  // nil: it is no question
	Take     *Take // nil: it is no task
	Extras
}

// Mute is the action that mutes a type, or unmutes it. Rows of a type share one.
type Mute struct {
	Muted bool // the reader has muted the type
	Label string
	Named Named
}

// Fold is where a row may have too little space for its title and body.
type Fold int

// The places, from the narrowest to the widest.
const (
	FoldNowhere Fold = iota
	FoldOnPhone
	FoldAnywhere
)

// Rows is the rows of a list. It is the only part of the pages that is not written in templ: an
// inbox of 30 rows has some 900 values, nearly the whole cost of the page, and here a value costs
// a tenth.
type Rows struct {
	Labels   *Labels
	Icons    Icons
	Back     string // the page to return to after an action; empty: no actions, nothing to select
	Archived bool   // they are archived: they can be moved back or deleted
	Later    bool   // with Archived: they are snoozed
	Test     string // data-testid; empty: they are the entries of an inbox. Other rows are only marked, muted or archived
	Rows     []Row
}

// rowBuffer is the output, and the escaped values of one row that occur in it several times.
type rowBuffer struct{ out, key, title markup }

var rowBuffers = sync.Pool{New: func() any { return &rowBuffer{out: markup{make([]byte, 0, 64<<10)}} }}

// Render writes the rows.
func (l Rows) Render(ctx context.Context, w io.Writer) error {
	buf, _ := rowBuffers.Get().(*rowBuffer)
	defer rowBuffers.Put(buf)
	buf.out.b = buf.out.b[:0]
	l.Icons = Icons(at(ctx, string(l.Icons)))
	var actions []action
	if l.Back != "" {
		actions = l.actions(ctx)
	}
	for i := range l.Rows {
		l.row(ctx, buf, &l.Rows[i], actions)
	}
	_, err := w.Write(buf.out.b)
	return err
}

func (l Rows) row(ctx context.Context, buf *rowBuffer, r *Row, actions []action) {
	m := &buf.out
	read, state := "0", "unread"
	if r.Read {
		read = "1"
	}
	if r.Read || r.New {
		state = "read"
	}
	switch {
	case r.Post != "":
		m.raw(`<li class="row" data-testid="`).text(l.Test).raw(`" data-post="`).text(r.Post)
	case l.Test == "":
		m.raw(`<li class="row" tabindex="-1" id="e`).text(r.At).raw(`" data-testid="entry" data-id="`).text(r.ID).raw(`" data-key="`).text(r.Key)
	default:
		m.raw(`<li class="row" data-testid="`).text(l.Test).raw(`" data-key="`).text(r.Key)
	}
	m.raw(`" data-read="`).raw(read).raw(`" data-state="`).raw(state)
	if r.Post == "" {
		m.raw(`" data-at="`).text(r.At)
	}
	m.raw(`">`)
	l.avatar(m, r)
	m.raw(`<article>`)
	l.heading(ctx, m, r)
	l.meta(m, r)
	l.body(m, r)
	l.fold(m, r)
	m.raw(`<span class="exact">`).text(r.Moment).raw(`</span>`)
	l.extras(ctx, m, r)
	if r.Ask != nil {
		l.ask(ctx, m, r)
	}
	if r.Take != nil {
		l.take(ctx, m, r)
	}
	m.raw(`</article>`)
	if len(actions) > 0 {
		l.writeActions(ctx, buf, r, actions)
	}
	if len(actions) > 0 && l.Test == "" {
		m.raw(`<input type="checkbox" class="pick" form="bulk" name="key" value="`).text(r.Key).raw(`" aria-label="`).text(r.Title).raw(`">`)
	}
	m.raw(`</li>`)
}

// meta writes what stands at the end of the title's line: the type if nothing else shows it, why the notice came, and
// when.
func (l Rows) meta(m *markup, r *Row) {
	m.raw(`<div class="meta">`)
	if r.Kind != "" {
		m.raw(`<span class="kind`)
		if r.Icon != "" {
			m.raw(` sr-only`) // the icon shows it
		}
		m.raw(`" dir="auto">`).text(r.Kind).raw(`</span> `)
	}
	if r.Reason != "" {
		m.raw(`<span class="why" dir="auto" title="`).text(r.Why).raw(`">`).text(r.Reason).raw(`</span> `)
	}
	if r.From.Text != "" {
		m.raw(`<span class="from" dir="auto">`)
		if r.From.Icon != "" {
			m.raw(`<img src="`).text(r.From.Icon).raw(`" alt="" width="16" height="16" loading="lazy" decoding="async" referrerpolicy="no-referrer">`)
		}
		m.text(r.From.Text).raw(`</span> `)
	}
	if r.Until != "" {
		m.raw(`<span class="until">`).text(r.Until).raw(`</span> `)
	}
	m.raw(`<time datetime="`).text(r.Datetime).raw(`">`).text(r.Clock).raw(`</time></div>`)
}

// avatar writes the circle in front of the text: the type, or the actor with the type at its corner.
func (l Rows) avatar(m *markup, r *Row) {
	if r.Actor != nil {
		l.face(m, r)
		return
	}
	m.raw(`<span class="avatar tint-`).text(r.Tint).raw(`" aria-hidden="true">`)
	l.kind(m, r)
	m.raw(`</span>`)
}

func (l Rows) kind(m *markup, r *Row) {
	if r.Icon == "" {
		m.text(r.Initials)
	} else {
		l.icon(m, r.Icon)
	}
}

func (l Rows) icon(m *markup, name string) {
	m.raw(`<svg class="icon" aria-hidden="true"><use href="`).text(string(l.Icons)).raw(`#`).text(name).raw(`"></use></svg>`)
}

func (l Rows) heading(ctx context.Context, m *markup, r *Row) {
	m.raw(`<h3>`)
	switch {
	case r.New:
		m.raw(`<span class="dot mark"><span class="sr-only">`).text(l.Labels.New).raw(`</span></span> `)
	case !r.Read:
		m.raw(`<span class="dot"><span class="sr-only">`).text(l.Labels.Unread).raw(`</span></span> `)
	}
	link := r.Link
	if !r.Outside {
		link = at(ctx, link)
	}
	if link == "" {
		m.raw(`<span dir="auto">`).text(r.Title).raw(`</span>`)
	} else {
		m.raw(`<a dir="auto" href="`).text(link).raw(`">`).text(r.Title).raw(`</a>`)
	}
	m.raw(`</h3>`)
}

// body writes the body. The style sheet cuts it after a line, on phones after two, and a title after one.
func (l Rows) body(m *markup, r *Row) {
	if r.Body != "" {
		m.raw(`<p class="body" dir="auto">`).text(r.Body).raw(`</p>`)
	}
}

// fold writes the button that shows the rest of a row. It is a details element, so that it works
// without script. It does not contain the text it unfolds, because that text is content and not
// the name of a button.
func (l Rows) fold(m *markup, r *Row) {
	if l.Labels.MoreNamed == (Named{}) || r.Folds == FoldNowhere {
		return
	}
	m.raw(`<details class="fold"`)
	if r.Folds < FoldAnywhere {
		m.raw(` data-folds="phone"`)
	}
	m.raw(`><summary>`)
	l.icon(m, "chevron-down")
	m.raw(`<span class="sr-only">`)
	m.text(l.Labels.MoreNamed.Before).text(r.Title).text(l.Labels.MoreNamed.After)
	m.raw(`</span></summary></details> `)
}
