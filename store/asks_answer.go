package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// errExpired means that a question is still open, but its time is up.
var errExpired = errors.New("the time to answer is up")

// Answer stores the answer of a user and ends the question if that decides it. In the same transaction its notice gets a new
// revision, whose delivery is due at once. It returns the question as it is then and the answer that counts for
// the user: an earlier one if they have already given the same.
//
// Only a recipient who is still in the target may answer; for others it returns notifier.ErrNotFound. Other errors are a
// *notifier.InvalidError, and a *notifier.RefusedAnswerError if the question has ended or the user has given another answer.
func (s *Store) Answer(ctx context.Context, by notifier.Actor, a notifier.Answering) (q notifier.Question, mine notifier.AskAnswer, err error) {
	expired := false
	err = s.tx(ctx, func(tx *sql.Tx) error {
		q, mine, err = s.answer(ctx, tx, by, &a)
		if expired = errors.Is(err, errExpired); expired {
			return nil // the end is committed
		}
		return err
	})
	if expired {
		err = &notifier.RefusedAnswerError{Asked: q.Asked}
	}
	return q, mine, s.fail(err, "answer question %d", a.Ask)
}

func (s *Store) answer(ctx context.Context, tx *sql.Tx, by notifier.Actor, a *notifier.Answering) (q notifier.Question, mine notifier.AskAnswer, err error) {
	q, to, err := s.lockAsk(ctx, tx, a.Ask)
	if err == nil {
		err = s.stillAddressed(ctx, tx, &q.Notice, to, a.User.Seq)
	}
	if err != nil {
		return q, mine, err
	}
	now := s.now().UTC().Truncate(time.Millisecond)
	earlier, err := earlierAnswer(ctx, tx, a)
	switch _, known := q.Asked.Choice(a.Choice); {
	case err != nil:
		return q, mine, err
	case !known:
		return q, mine, a.Check(&q.Asked)
	case earlier != nil && earlier.Choice == a.Choice:
		return q, *earlier, nil
	case earlier != nil || q.Asked.Ended():
		return q, mine, &notifier.RefusedAnswerError{Asked: q.Asked, Mine: earlier}
	case !now.Before(q.Asked.ExpiresAt):
		if err = s.expire(ctx, tx, &q); err == nil {
			err = errExpired
		}
		return q, mine, err
	}
	if err := a.Check(&q.Asked); err != nil {
		return q, mine, err
	}
	mine = notifier.AskAnswer{User: a.User.Name, Name: a.User.Display, Choice: a.Choice, Comment: a.Comment, At: now}
	var place uint64
	err = tx.QueryRowContext(ctx, `INSERT INTO ask_answers (notice_id, seq, choice, comment, at, place)
		VALUES ($1, $2, $3, $4, $5, (SELECT COUNT(*) + 1 FROM ask_answers WHERE notice_id = $1)) RETURNING place`,
		q.ID, a.User.Seq, string(a.Choice), text(a.Comment), millis(now)).Scan(&place)
	if err == nil {
		err = s.record(ctx, tx, by, "ask.answer", notifier.NoticeRef(q.ID), string(a.Choice))
	}
	if err != nil {
		return q, mine, err
	}
	q.Answers = append(q.Answers, mine)
	if everybody := q.Asked.Rule.Needs == 0; everybody && place < to.GetCardinality() {
		return q, mine, nil // others have not answered
	}
	return q, mine, s.settle(ctx, tx, &q, to)
}

// stillAddressed returns notifier.ErrNotFound unless the user is a recipient of a notice and still in its target.
func (s *Store) stillAddressed(ctx context.Context, tx *sql.Tx, n *notifier.Notice, to *roaring.Bitmap, seq int64) error {
	if !to.Contains(member(seq)) || n.State.TakenBack() || n.State == notifier.StateScheduled {
		return notifier.ErrNotFound
	}
	in, query, args := true, "", []any{seq}
	switch roles, topic := n.Target.RoleNames(), n.Target.Topic; {
	case len(roles) > 0:
		query = `SELECT EXISTS (SELECT 1 FROM role_members m JOIN roles r ON r.id = m.role_id WHERE m.seq = $1 AND ` + s.dialect.within("r.name", 2) + `)`
		args = append(args, s.dialect.textList(roles))
	case topic != notifier.Topic{}:
		query = `SELECT EXISTS (SELECT 1 FROM subscriptions WHERE type = $2 AND scope = $3
			AND (seq = $1 OR role_id IN (SELECT role_id FROM role_members m WHERE m.seq = $1)))`
		args = append(args, topic.Type, topic.Scope)
	}
	if query != "" {
		if err := tx.QueryRowContext(ctx, query, args...).Scan(&in); err != nil {
			return err
		}
	}
	if !in {
		return notifier.ErrNotFound
	}
	return nil
}

// earlierAnswer returns the answer that the user has given; nil: none.
func earlierAnswer(ctx context.Context, tx *sql.Tx, a *notifier.Answering) (*notifier.AskAnswer, error) {
	is := notifier.AskAnswer{User: a.User.Name, Name: a.User.Display}
	var at int64
	err := tx.QueryRowContext(ctx, `SELECT choice, comment, at FROM ask_answers WHERE notice_id = $1 AND seq = $2`, a.Ask, a.User.Seq).
		Scan(&is.Choice, &is.Comment, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	is.At = fromMillis(at)
	return &is, err
}

// lockAsk reads a question and prevents others from changing it before this transaction ends. Like a deletion of a user,
// it locks the notice first. It has at most notifier.MaxListedAnswers answers, which are all if they can decide. It returns
// notifier.ErrNotFound if there is none.
func (s *Store) lockAsk(ctx context.Context, tx *sql.Tx, id int64) (q notifier.Question, to *roaring.Bitmap, err error) {
	changed, err := change(ctx, tx, `UPDATE notices SET rev = rev WHERE id = $1 AND EXISTS (SELECT 1 FROM asks WHERE asks.notice_id = notices.id)`, id)
	if err == nil && changed == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return q, nil, err
	}
	rows, err := tx.QueryContext(ctx, askedNotice+`WHERE ask_id = $1`, id)
	err = each(rows, err, func(rows *sql.Rows) (err error) {
		q, to, err = scanAsk(rows)
		return err
	})
	if err == nil && to == nil {
		err = notifier.ErrNotFound
	}
	if err == nil {
		q.Answers, err = s.answersTo(ctx, tx, id, notifier.MaxListedAnswers)
	}
	return q, to, err
}
