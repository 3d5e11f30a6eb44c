package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const soon = 30 * 24 * time.Hour // before a question ends, its row says when

// answerEntry answers the question of an entry. A form with a fault, such as a missing comment, comes back with it in the row;
// an answer that is refused shows what became of the question.
func (h *Handlers) answerEntry(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back", "choice", "comment")
	if err != nil {
		return err
	}
	id, err := h.Inbox.NoticeOf(r.Context(), seqOf(r), keys[0])
	if err != nil {
		return fmt.Errorf("find a question: %w", err)
	}
	q, mine, err := h.Asks.Answer(r.Context(), h.actor(r), notifier.Answering{
		Ask: id, User: visitOf(r).user.User, Choice: notifier.ChoiceID(kept(values.Get("choice"))), Comment: values.Get("comment"),
	})
	shown := answered{key: keys[0], values: values, ask: &q.Asked, mine: mine.Choice, status: http.StatusOK, title: "ask.title"}
	var bad *notifier.InvalidError
	var refused *notifier.RefusedAnswerError
	switch {
	case errors.As(err, &bad):
		shown.fault, shown.status = answerFault(h.text(r), &q.Asked, notifier.ChoiceID(values.Get("choice")), bad.Fields[0]), http.StatusUnprocessableEntity
	case errors.As(err, &refused):
		shown.ask, shown.status = &refused.Asked, http.StatusConflict
		if refused.Mine != nil {
			shown.mine = refused.Mine.Choice
		}
		shown.done = &views.Done{Text: h.text(r).F("ask.too_late", "What", refused.Sentence(h.now(r).Location(), askStates(h.text(r))))}
	case err != nil:
		return fmt.Errorf("answer a question: %w", err)
	default:
		shown.done = &views.Done{Text: h.text(r).T("done.answered")}
		if !fragment(r) {
			redirect(w, r, backTo(values.Get("back"), url.Values{"done": {"answered"}}))
			return nil
		}
	}
	return h.answered(w, r, &shown)
}

// answerFault returns the sentence of a fault of an answer.
func answerFault(text *locale.Printer, ask *notifier.Ask, id notifier.ChoiceID, f notifier.FieldError) string {
	if c, ok := ask.Choice(id); ok && f.Field == "comment" && f.Code == notifier.CodeRequired {
		return text.F("ask.needs_comment", "Choice", c.Label)
	}
	return faultText(text, f)
}

// answered is a question or a task after a deed of the reader, or one that was refused.
type answered struct {
	key    string
	values url.Values        // the form
	title  string            // of a page
	ask    *notifier.Ask     // nil: the one of the row
	take   *notifier.Take    // nil: the one of the row
	mine   notifier.ChoiceID // empty: the reader has not answered
	fault  string
	status int // of a page
	done   *views.Done
}

// answered responds with the row of a question or a task: in place, or alone on a page.
func (h *Handlers) answered(w http.ResponseWriter, r *http.Request, of *answered) error {
	back := backTo(of.values.Get("back"), url.Values{})
	q := queryOf(back)
	var e notifier.Entry
	var err error
	if q.PutAway() {
		e, err = h.putAway(r, number(of.values.Get("at")), back)
	} else {
		e, err = h.Inbox.Find(r.Context(), seqOf(r), of.key, q.Opened)
	}
	if err != nil {
		return fmt.Errorf("show its row: %w", err)
	}
	if of.ask != nil {
		e.Ask = of.ask
	}
	if of.take != nil && e.Take != nil {
		taken := *of.take
		taken.Of, taken.Waited = e.Take.Of, e.Take.Waited
		e.Take = &taken
	}
	badges, err := h.Inbox.Badges(r.Context(), []int64{seqOf(r)})
	if err != nil {
		return fmt.Errorf("show its row: %w", err)
	}
	p := h.partPage(r, q, badges[0], of.done)
	rows := h.rowMaker(r, p.Text)
	if of.mine != "" {
		rows.answers = func([]notifier.Entry) map[int64]notifier.ChoiceID {
			return map[int64]notifier.ChoiceID{of.ask.ID: of.mine}
		}
	}
	p.Days = rows.days([]notifier.Entry{e})
	if ask := p.Days[0].Rows[0].Ask; of.fault != "" && ask != nil {
		ask.Fault, ask.Comment = of.fault, kept(of.values.Get("comment"))
	}
	if fragment(r) && alone(r, []string{of.key}) {
		return h.sendPart(w, r, p, badges[0])
	}
	p.Frame.Title = p.Text.T(of.title)
	return h.page(w, r, of.status, views.QuestionPage(p))
}

// answersOf returns the reader's choices in the questions among these entries. Without SQL, which has them, there are none.
func (h *Handlers) answersOf(r *http.Request, entries []notifier.Entry) map[int64]notifier.ChoiceID {
	var ids []int64
	for i := range entries {
		if entries[i].Ask.Open() {
			ids = append(ids, entries[i].NoticeID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	given, err := h.Store.AnswersOf(r.Context(), seqOf(r), ids)
	if err != nil {
		h.Log.WarnContext(r.Context(), "questions are shown without the reader's answers", "err", err)
	}
	return given
}

// askStates returns the names of states in a language.
func askStates(text *locale.Printer) func(notifier.AskState) string {
	ids := map[notifier.AskState]string{notifier.AskAnswered: "ask.answered", notifier.AskExpired: "ask.expired", notifier.AskWithdrawn: "ask.withdrawn"}
	return func(s notifier.AskState) string { return text.T(ids[s]) }
}

// ask returns what a row shows of its question; nil: it has none.
func (m rowMaker) ask(e *notifier.Entry) *components.Ask {
	if e.Ask == nil {
		return nil
	}
	if e.Ask.Ended() {
		return &components.Ask{Status: e.Ask.Became(m.now.Location(), askStates(m.text))}
	}
	if given, ok := m.given[e.NoticeID]; ok {
		c, _ := e.Ask.Choice(given)
		return &components.Ask{Status: m.text.F("ask.mine", "Choice", c.Label)}
	}
	ask := choicesOf(e.Ask)
	if e.Ask.ExpiresAt.Sub(m.now) <= soon {
		ask.Until = m.text.F("ask.until", "Time", m.text.Exact(e.Ask.ExpiresAt.In(m.now.Location())))
	}
	return ask
}

// seenChoices returns the choices of a draft as its preview shows them; nil: it asks nothing.
func seenChoices(of *notifier.Ask) *components.Ask {
	if of == nil {
		return nil
	}
	ask := choicesOf(of)
	ask.Preview = true
	return ask
}

func choicesOf(of *notifier.Ask) *components.Ask {
	ask := &components.Ask{}
	for _, c := range of.Choices {
		ask.Choices = append(ask.Choices, components.AskChoice{ID: string(c.ID), Label: kept(c.Label), Style: c.Style})
		ask.Comments = ask.Comments || c.Comment != notifier.CommentNone
	}
	return ask
}
