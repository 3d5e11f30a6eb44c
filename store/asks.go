package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// addAsk adds the question of a notice.
const addAsk = `INSERT INTO asks (notice_id, closes_at, needs, otherwise) VALUES ($1, $2, $3, $4)`

// askArrays returns the parameters of addNoticesQuery that describe the questions, by column: the place of the row, from 1,
// and what addAsk stores.
func askArrays(rows []*noticeRow) []any {
	places, closes, needs, otherwise := []int64{}, []int64{}, []int64{}, []string{}
	for i, n := range rows {
		if ask := n.Extras.Ask; ask != nil {
			places, closes, needs = append(places, int64(i)+1), append(closes, millis(ask.ExpiresAt)), append(needs, int64(ask.Rule.Needs))
			otherwise = append(otherwise, string(ask.Rule.Otherwise))
		}
	}
	return []any{places, closes, needs, otherwise}
}

// askedNotice renames columns of asks, so that noticeColumns are not ambiguous.
const askedNotice = `SELECT ` + noticeColumns + `, recipients, asked, closes_at, needs, otherwise, outcome, ended_at
	FROM (SELECT notice_id AS ask_id, state AS asked, closes_at, needs, otherwise, outcome, ended_at FROM asks) a JOIN notices ON id = ask_id
	LEFT JOIN announcements ON notice_id = id `

// scanAsk reads a row of askedNotice. Its notice has no Reasons.
func scanAsk(rows *sql.Rows) (q notifier.Question, to *roaring.Bitmap, err error) {
	var blob []byte
	var state notifier.AskState
	var closes, ended int64
	var rule notifier.AskRule
	var outcome notifier.ChoiceID
	if q.Notice, err = scanNotice(rows, &blob, &state, &closes, &rule.Needs, &rule.Otherwise, &outcome, &ended); err != nil {
		return q, nil, err
	}
	if q.Extras.Ask == nil {
		return q, nil, fmt.Errorf("notice %d has no choices", q.ID)
	}
	q.Asked = *q.Extras.Ask
	q.Asked.ID, q.Asked.State, q.Asked.ExpiresAt, q.Asked.Outcome, q.Asked.Rule = q.ID, state, fromMillis(closes), outcome, rule
	if ended > 0 {
		q.EndedAt = fromMillis(ended)
	}
	to, err = recipientsIn(q.ID, blob)
	return q, to, err
}

// Question returns a question with its answers, or notifier.ErrNotFound.
func (s *Store) Question(ctx context.Context, id int64) (notifier.Question, error) {
	found, err := s.questions(ctx, `WHERE ask_id = $1`, id)
	if err == nil && len(found) == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.Question{}, s.fail(err, "read question %d", id)
	}
	found[0].Answers, err = s.answersTo(ctx, s.read, id, notifier.MaxEverybody)
	return found[0], s.fail(err, "read the answers to question %d", id)
}

// Questions returns questions, newest first, each with at most notifier.MaxListedAnswers answers.
func (s *Store) Questions(ctx context.Context, q notifier.QuestionQuery) ([]notifier.Question, error) {
	var f filter
	if !q.By.IsZero() {
		f.add(`sender_kind = %s AND sender_id = %s`, string(q.By.Kind), refID(q.By))
	}
	if q.State != "" {
		f.add(`asked = %s`, string(q.State))
	}
	if q.Ended {
		f.add(`asked <> %s`, string(notifier.AskOpen))
	}
	if !q.Since.IsZero() {
		f.add(`created_at >= %s`, millis(q.Since))
	}
	if q.Before > 0 {
		f.add(`ask_id < %s`, q.Before)
	}
	limit := f.param(pageSize(q.Limit))
	found, err := s.questions(ctx, f.where()+` ORDER BY ask_id DESC LIMIT `+limit, f.args...)
	ids := make([]int64, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	if err == nil && len(found) > 0 {
		var answers map[int64][]notifier.AskAnswer
		answers, err = s.answersIn(ctx, s.read, ids, notifier.MaxListedAnswers)
		for i := range found {
			found[i].Answers = answers[ids[i]]
		}
	}
	return found, s.fail(err, "list questions")
}

// questions returns the questions that a condition selects, without their answers.
func (s *Store) questions(ctx context.Context, where string, args ...any) (found []notifier.Question, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		q, _, err := scanAsk(rows)
		found = append(found, q)
		return err
	}, askedNotice+where, args...)
	return found, err
}

// answersTo returns at most the first answers to a question, in order.
func (s *Store) answersTo(ctx context.Context, in querier, id int64, most int) ([]notifier.AskAnswer, error) {
	answers, err := s.answersIn(ctx, in, []int64{id}, most)
	return answers[id], err
}

// answersIn returns at most the first answers to each of these questions, in order, by the id of the question.
func (s *Store) answersIn(ctx context.Context, in querier, ids []int64, most int) (map[int64][]notifier.AskAnswer, error) {
	answers := map[int64][]notifier.AskAnswer{}
	rows, err := in.QueryContext(ctx, `SELECT notice_id, COALESCE(name, ''), COALESCE(display, ''), choice, comment, at
		FROM ask_answers LEFT JOIN users ON users.seq = ask_answers.seq
		WHERE place <= $1 AND `+s.dialect.within("notice_id", 2)+` ORDER BY notice_id, place`, most, s.dialect.numberList(ids))
	err = each(rows, err, func(rows *sql.Rows) error {
		var id, at int64
		var a notifier.AskAnswer
		err := rows.Scan(&id, &a.User, &a.Name, &a.Choice, &a.Comment, &at)
		a.At = fromMillis(at)
		answers[id] = append(answers[id], a)
		return err
	})
	return answers, err
}

// AnswersOf returns the choices of a user in these questions, by the id of the question.
func (s *Store) AnswersOf(ctx context.Context, seq int64, ids []int64) (map[int64]notifier.ChoiceID, error) {
	found := map[int64]notifier.ChoiceID{}
	if len(ids) == 0 {
		return found, nil
	}
	err := s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		var choice notifier.ChoiceID
		err := rows.Scan(&id, &choice)
		found[id] = choice
		return err
	}, `SELECT notice_id, choice FROM ask_answers WHERE seq = $1 AND `+s.dialect.within("notice_id", 2), seq, s.dialect.numberList(ids))
	return found, s.fail(err, "read the answers of user %d", seq)
}

// EndedAsks returns those of these questions that are no longer open. Deleted ones are among them.
func (s *Store) EndedAsks(ctx context.Context, ids []int64) (ended []int64, err error) {
	open := make(map[int64]bool, len(ids))
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		open[id] = true
		return err
	}, `SELECT notice_id FROM asks WHERE state = 'open' AND `+s.dialect.within("notice_id", 1), s.dialect.numberList(ids))
	for _, id := range ids {
		if err == nil && !open[id] {
			ended = append(ended, id)
		}
	}
	return ended, s.fail(err, "look for ended questions")
}
