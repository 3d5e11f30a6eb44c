package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// titlesTold is how many conflicting announcements a rejection names.
const titlesTold = 3

// span is the window of an announcement that counts against the limit.
type span struct {
	starts, ends int64
	title        string
}

// checkOpen rejects an announcement if, at some instant of its remaining window, one of its
// audiences already has notifier.MaxOpen other announcements open. self is the id of the
// announcement if it is stored already, else 0.
func (s *Store) checkOpen(ctx context.Context, tx *sql.Tx, n *notifier.Notice, self int64) error {
	from, to := max(millis(n.StartsAt), millis(s.now())), millis(n.EndsAt)
	others := make(map[notifier.Audience][]span)
	rows, err := tx.QueryContext(ctx, s.openQuery(), to, from, self, s.audienceList(n.Target.Audiences))
	err = each(rows, err, func(rows *sql.Rows) error {
		var audience notifier.Audience
		var o span
		err := rows.Scan(&audience, &o.starts, &o.ends, &o.title)
		others[audience] = append(others[audience], o)
		return err
	})
	if err != nil {
		return err
	}
	var bad notifier.InvalidError
	for _, audience := range n.Target.Audiences {
		at, most := fullest(others[audience], from)
		if most < notifier.MaxOpen {
			continue
		}
		bad.Add("starts_at", notifier.CodeTooManyOpen, map[string]any{
			"Audience": int(audience), "Max": notifier.MaxOpen, "Titles": endingFirst(others[audience], at),
		})
	}
	return bad.OrNil()
}

// openQuery selects the windows that overlap a given one. It uses the partial index of
// unfinished parts.
func (s *Store) openQuery() string {
	return `SELECT audience, starts_at, ends_at, title FROM announcement_audiences
		JOIN announcements ON notice_id = announcement_id JOIN notices ON id = notice_id
		WHERE NOT finished AND NOT withdrawn AND state NOT IN ('retracting', 'retracted')
			AND starts_at < $1 AND ends_at > $2 AND notice_id <> $3 AND ` + s.dialect.within("audience", 4)
}

// fullest returns the first instant at or after from at which the most spans are open, and
// their number. A span is not open at its end.
func fullest(spans []span, from int64) (at int64, most int) {
	type turn struct {
		at    int64
		opens int // or closes: -1
	}
	turns := make([]turn, 0, 2*len(spans))
	for _, o := range spans {
		turns = append(turns, turn{max(o.starts, from), 1}, turn{o.ends, -1})
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.opens, b.opens)) })
	open := 0
	for _, t := range turns {
		if open += t.opens; open > most {
			at, most = t.at, open
		}
	}
	return at, most
}

// endingFirst returns the titles of the first spans to end among those open at an instant.
func endingFirst(spans []span, at int64) string {
	open := slices.DeleteFunc(slices.Clone(spans), func(o span) bool { return at < o.starts || at >= o.ends })
	slices.SortStableFunc(open, func(a, b span) int { return cmp.Compare(a.ends, b.ends) })
	titles := make([]string, 0, titlesTold)
	for _, o := range open[:min(len(open), titlesTold)] {
		titles = append(titles, o.title)
	}
	return strings.Join(titles, ", ")
}
