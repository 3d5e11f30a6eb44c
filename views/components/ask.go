package components

import "context"

// Ask is the question of a row.
type Ask struct {
	Choices  []AskChoice // none: the reader cannot answer
	Comments bool        // an answer may have a comment
	Comment  string      // as entered
	Fault    string      // of the comment, if there may be one, or else of the choice
	Until    string      // when it ends; empty: not soon
	Preview  bool        // the choices are only shown
	Status   string      // what became of it, or what the reader has answered
}

// AskChoice is a button that answers.
type AskChoice struct{ ID, Label, Style string }

// ask writes the question: a form while the reader can answer, or what became of it.
func (l Rows) ask(ctx context.Context, m *markup, r *Row) {
	a := r.Ask
	if a.Status != "" {
		m.raw(`<p class="became" dir="auto">`).text(a.Status).raw(`</p>`)
		return
	}
	if a.Preview {
		m.raw(`<p class="calls">`)
		for _, c := range a.Choices {
			m.raw(`<span class="button small `).text(c.Style).raw(`" dir="auto">`).text(c.Label).raw(`</span> `)
		}
		m.raw(`</p>`)
		return
	}
	if l.Back == "" {
		return
	}
	if l.Test != "" { // the panel, too narrow for comments
		m.raw(`<p class="calls"><a class="button small" href="`).text(at(ctx, "/inbox")).raw(`">`).text(l.Labels.Answer).raw(`</a></p>`)
		return
	}
	m.raw(`<form class="question" hx-boost="true" method="post" action="`).text(at(ctx, "/inbox/answer")).raw(`"><input type="hidden" name="key" value="`).text(r.Key)
	m.raw(`"><input type="hidden" name="at" value="`).text(r.At).raw(`"><input type="hidden" name="back" value="`).text(l.Back).raw(`">`)
	if a.Comments {
		l.comment(m, r)
	}
	m.raw(`<p class="calls">`)
	for _, c := range a.Choices {
		m.raw(`<button type="submit" class="button small `).text(c.Style).raw(`" name="choice" value="`).text(c.ID)
		m.raw(`" dir="auto">`).text(c.Label).raw(`</button> `)
	}
	if a.Until != "" {
		m.raw(`<span class="until">`).text(a.Until).raw(`</span>`)
	}
	m.raw(`</p>`)
	if !a.Comments {
		l.fault(m, r)
	}
	m.raw(`</form>`)
}

// comment writes the field for a comment, which is open once it has a fault. Without script that is how the reader learns of it.
func (l Rows) comment(m *markup, r *Row) {
	m.raw(`<details class="remark"`)
	if r.Ask.Fault != "" || r.Ask.Comment != "" {
		m.raw(` open`)
	}
	m.raw(`><summary>`).text(l.Labels.Comment).raw(`</summary><div class="field"><textarea name="comment" rows="2" dir="auto" aria-label="`).text(l.Labels.Comment)
	if r.Ask.Fault != "" {
		m.raw(`" aria-invalid="true" aria-describedby="f`).text(r.At)
	}
	m.raw(`">`).text(r.Ask.Comment).raw(`</textarea>`)
	l.fault(m, r)
	m.raw(`</div></details>`)
}

func (l Rows) fault(m *markup, r *Row) {
	if r.Ask.Fault != "" {
		m.raw(`<p class="fault" id="f`).text(r.At).raw(`">`).text(r.Ask.Fault).raw(`</p>`)
	}
}
