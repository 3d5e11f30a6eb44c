package handlers

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	questionsPath       = "/staff/questions"
	questionsEnded      = questionsPath + "?state=ended"
	questionsExport     = questionsPath + ".csv"
	questionsExportPage = 50 // questions with their answers held in memory
)

// readQuestions returns the questions that an address selects: the open ones, or those that have ended.
func readQuestions(r *http.Request) notifier.QuestionQuery {
	q := notifier.QuestionQuery{Before: number(r.URL.Query().Get("before"))}
	if q.Ended = r.URL.Query().Get("state") == "ended"; !q.Ended {
		q.State = notifier.AskOpen
	}
	return q
}

// questions lists questions with their answers, newest first.
func (h *Handlers) questions(w http.ResponseWriter, r *http.Request) error {
	q := readQuestions(r)
	q.Limit = perPage + 1
	found, err := h.Store.Questions(r.Context(), q)
	if err != nil {
		return fmt.Errorf("list questions: %w", err)
	}
	l := readList(nil, questionsPath, 0, "")
	p := &views.Questions{Frame: h.frame(r, "questions", "questions.title"), Export: questionsExport}
	empty := components.Empty{Icon: "message-circle", Heading: p.Text.T("questions.empty_heading"), Text: p.Text.T("questions.empty_text")}
	if q.Ended {
		l.narrow, p.Export = url.Values{"state": {"ended"}}, questionsExport+"?state=ended"
		empty.Heading = p.Text.T("questions.none_ended")
	}
	p.List = listOf(r, p.Text, l, "questions.column_", "question", "asked", "state", "ends", "answers")
	p.Empty = empty
	p.Tabs = []components.Tab{
		{Href: questionsPath, Text: p.Text.T("questions.open"), Current: !q.Ended},
		{Href: questionsEnded, Text: p.Text.T("questions.ended"), Current: q.Ended},
	}
	if q.Before > 0 {
		p.First = l.address("", "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address("before", strconv.FormatInt(found[perPage-1].ID, 10))
	}
	p.Rows, err = rowsOf(h, r, found, func(q *notifier.Question) *notifier.Notice { return &q.Notice }, func(q *notifier.Question, names called) views.QuestionRow {
		return h.questionRow(p.Text, q, names, h.now(r))
	})
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.QuestionsPage(p))
}

func (h *Handlers) questionRow(text *locale.Printer, q *notifier.Question, names called, now time.Time) views.QuestionRow {
	row := views.QuestionRow{
		Href: noticePath(q.ID), Title: q.Title,
		ToBy:  text.F("notices.to_by", "Target", h.targetText(text, q.Target, names), "Sender", senderText(text, q.Sender, names)),
		Asked: momentOf(text, q.SentAt(), now), State: string(q.Asked.State),
	}
	row.StateText = askStateText(text, q.Asked.State)
	if q.Asked.Ended() {
		row.Ends, row.Outcome = momentOf(text, q.EndedAt, now), labelOf(q, q.Asked.Outcome)
	} else {
		row.Ends, row.Left = momentOf(text, q.Asked.ExpiresAt, now), timeLeft(text, q.Asked.ExpiresAt.Sub(now))
		row.Outcome = text.N("questions.answers", int64(len(q.Answers)))
	}
	if len(q.Answers) == notifier.MaxListedAnswers {
		row.Outcome = text.F("questions.first_answers", "Count", strconv.Itoa(len(q.Answers)))
	}
	for i := range q.Answers {
		a := &q.Answers[i]
		line := text.F("questions.answer", "Choice", labelOf(q, a.Choice), "Name", answeredBy(text, a), "Time", text.Exact(a.At.In(now.Location())))
		if a.Comment != "" {
			line += " · '" + a.Comment + "'"
		}
		row.Answers = append(row.Answers, line)
	}
	return row
}

// timeLeft formats a duration in the largest unit of which it has two.
func timeLeft(text *locale.Printer, d time.Duration) string {
	for _, unit := range []time.Duration{24 * time.Hour, time.Hour} {
		if d >= 2*unit {
			return lasting(text, d.Truncate(unit))
		}
	}
	return lasting(text, max(d, time.Minute))
}

// askStateText returns the name of a state.
func askStateText(text *locale.Printer, state notifier.AskState) string {
	if state == notifier.AskOpen {
		return text.T("questions.open")
	}
	return askStates(text)(state)
}

// labelOf returns the label of a choice; empty: there is no such choice.
func labelOf(q *notifier.Question, id notifier.ChoiceID) string {
	c, _ := q.Asked.Choice(id)
	return c.Label
}

func answeredBy(text *locale.Printer, a *notifier.AskAnswer) string {
	return cmp.Or(a.Name, a.User, text.T("inbox.somebody"))
}

// exportQuestions sends the list as CSV: a line for each answer, and one for a question without answers.
func (h *Handlers) exportQuestions(w http.ResponseWriter, r *http.Request) error {
	q := readQuestions(r)
	text, now := h.text(r), h.now(r)
	q.Limit = questionsExportPage
	found, err := h.exportedQuestions(r, &q)
	if err != nil {
		return err
	}
	return h.sendCSV(w, r, "questions", func(out *csv.Writer) error {
		heads := []string{"ID"}
		for _, id := range []string{
			"questions.column_question", "notice.type", "notice.target", "notices.sender", "questions.column_state", "questions.outcome", "questions.column_asked",
			"questions.column_ends", "questions.user", "questions.name", "questions.choice", "ask.comment", "questions.answered_at",
		} {
			heads = append(heads, text.T(id))
		}
		h.writeRow(out, heads)
		for left := exportMost; len(found) > 0 && left > 0; {
			for i := range found {
				left -= h.writeAnswers(out, text, &found[i], now)
			}
			if out.Flush(); len(found) < questionsExportPage {
				return nil
			}
			if found, err = h.exportedQuestions(r, &q); err != nil {
				return err
			}
		}
		return nil
	})
}

// exportedQuestions reads the next questions of an export with all their answers, and advances the query past them.
func (h *Handlers) exportedQuestions(r *http.Request, q *notifier.QuestionQuery) ([]notifier.Question, error) {
	found, err := h.Store.Questions(r.Context(), *q)
	for i := range found {
		if q.Before = found[i].ID; err == nil && len(found[i].Answers) == notifier.MaxListedAnswers { // there may be more
			found[i], err = h.Store.Question(r.Context(), found[i].ID)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("export questions: %w", err)
	}
	return found, nil
}

// writeAnswers writes the lines of a question and returns their number.
func (h *Handlers) writeAnswers(out *csv.Writer, text *locale.Printer, q *notifier.Question, now time.Time) int {
	date := func(t time.Time) string { return t.In(now.Location()).Format(time.DateTime) }
	ends := q.Asked.ExpiresAt
	if q.Asked.Ended() {
		ends = q.EndedAt
	}
	asked := []string{
		strconv.FormatInt(q.ID, 10), q.Title, q.Type, h.targetText(text, q.Target, nil), senderText(text, q.Sender, nil), askStateText(text, q.Asked.State),
		labelOf(q, q.Asked.Outcome), date(q.SentAt()), date(ends),
	}
	if len(q.Answers) == 0 {
		h.writeRow(out, append(asked, "", "", "", "", ""))
		return 1
	}
	for i := range q.Answers {
		a := &q.Answers[i]
		h.writeRow(out, append(asked[:len(asked):len(asked)], a.User, answeredBy(text, a), labelOf(q, a.Choice), a.Comment, date(a.At)))
	}
	return len(q.Answers)
}
