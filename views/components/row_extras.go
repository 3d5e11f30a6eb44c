package components

import (
	"context"
	"io"
)

// Extras are the parts of a row or an announcement that its sender may add.
type Extras struct {
	Actor   *Face    // who did it; nil: the type stands alone
	Picture *Picture // nil: none
	Buttons []RowButton
}

// Face is an actor in place of the icon of a type.
type Face struct {
	Image    string // address of a picture; empty: show the initials
	Initials string
	Tint     string // one of notifier.TypeColors
}

// Picture is the picture of a notice.
type Picture struct{ URL, Alt string }

// RowButton is an action of a notice.
type RowButton struct {
	Label   string
	Link    string
	Primary bool
}

// face writes the actor, with the type at the corner. The picture lies over the initials, which remain if it cannot be
// loaded.
func (l Rows) face(m *markup, r *Row) {
	m.raw(`<span class="avatar face tint-`).text(r.Actor.Tint).raw(`" aria-hidden="true">`).text(r.Actor.Initials)
	if r.Actor.Image != "" {
		m.raw(`<img src="`).text(r.Actor.Image).raw(`" alt="" width="32" height="32" loading="lazy" decoding="async" referrerpolicy="no-referrer">`)
	}
	if r.Icon != "" {
		m.raw(`<span class="corner tint-`).text(r.Tint).raw(`">`)
		l.icon(m, r.Icon)
		m.raw(`</span>`)
	}
	m.raw(`</span>`)
}

// Circle is the circle of a row, outside a list.
type Circle struct {
	Icons Icons
	Row   *Row
}

// Render writes the circle.
func (a Circle) Render(ctx context.Context, w io.Writer) error {
	var m markup
	Rows{Icons: Icons(at(ctx, string(a.Icons)))}.avatar(&m, a.Row)
	_, err := w.Write(m.b)
	return err
}

// extras writes the picture and the buttons of a notice.
func (l Rows) extras(ctx context.Context, m *markup, r *Row) {
	if r.Picture != nil {
		m.raw(`<img class="picture" src="`).text(r.Picture.URL).raw(`" alt="`).text(r.Picture.Alt)
		m.raw(`" width="160" height="90" loading="lazy" decoding="async" referrerpolicy="no-referrer">`)
	}
	if len(r.Buttons) == 0 {
		return
	}
	m.raw(`<p class="calls">`)
	for i := range r.Buttons {
		b := &r.Buttons[i]
		link := b.Link
		if !r.Outside {
			link = at(ctx, link)
		}
		m.raw(`<a class="button small`)
		if b.Primary {
			m.raw(` primary`)
		}
		m.raw(`" dir="auto" href="`).text(link).raw(`">`).text(b.Label).raw(`</a> `)
	}
	m.raw(`</p>`)
}

// From is the line about the app that has sent a notice.
type From struct {
	Text string // empty: no app sent it
	Icon string // empty: none
}
