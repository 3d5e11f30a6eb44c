package components

import "context"

// Take is the task of a row.
type Take struct {
	Status  string // who has it, or why it came; empty: nobody has it
	Deeds   []TakeDeed
	Preview bool // the deeds are only shown
}

// TakeDeed is a button of a task.
type TakeDeed struct{ Name, Label, Style string }

// take writes the task: who has it, and what the reader can do with it.
func (l Rows) take(ctx context.Context, m *markup, r *Row) {
	t := r.Take
	deeds := t.Deeds
	if l.Back == "" && !t.Preview {
		deeds = nil
	}
	if len(deeds) == 0 {
		if t.Status != "" {
			m.raw(`<p class="became" dir="auto">`).text(t.Status).raw(`</p>`)
		}
		return
	}
	m.raw(`<div class="question">`)
	if t.Status != "" {
		m.raw(`<p class="became" dir="auto">`).text(t.Status).raw(`</p>`)
	}
	m.raw(`<div class="calls">`)
	for _, d := range deeds {
		switch {
		case t.Preview:
			m.raw(`<span class="button small `).text(d.Style).raw(`">`).text(d.Label).raw(`</span>`)
		case l.Test != "": // the panel, which has no forms
			m.raw(`<a class="button small" href="`).text(at(ctx, "/inbox")).raw(`">`).text(d.Label).raw(`</a>`)
		default:
			l.deed(ctx, m, r, d)
		}
	}
	m.raw(`</div></div>`)
}

func (l Rows) deed(ctx context.Context, m *markup, r *Row, d TakeDeed) {
	m.raw(`<form hx-boost="true" method="post" action="`).text(at(ctx, "/inbox/"+d.Name)).raw(`"><input type="hidden" name="key" value="`).text(r.Key)
	m.raw(`"><input type="hidden" name="at" value="`).text(r.At).raw(`"><input type="hidden" name="back" value="`).text(l.Back)
	m.raw(`"><button type="submit" class="button small `).text(d.Style).raw(`">`).text(d.Label).raw(`</button></form>`)
}
