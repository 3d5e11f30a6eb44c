package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// AnnouncementRevision returns a number that rises with every creation, edit, retraction and
// deletion of an announcement.
func (s *Store) AnnouncementRevision(ctx context.Context) (revision int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT value FROM sequences WHERE name = 'announcement'`).Scan(&revision)
	return revision, s.fail(err, "read the revision of the announcements")
}

// Announcements returns announcements with their parts, in the order of ids. Ids that are not
// announcements are left out.
func (s *Store) Announcements(ctx context.Context, ids []int64) ([]notifier.Announcement, error) {
	known := make(map[int64]notifier.Announcement, len(ids))
	for part := range slices.Chunk(ids, listSize) {
		some, err := s.announcements(ctx, s.dialect.within("notice_id", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read %d announcements", len(ids))
		}
		for _, a := range some {
			known[a.ID] = a
		}
	}
	found := make([]notifier.Announcement, 0, len(known))
	for _, id := range ids {
		if a, ok := known[id]; ok {
			found = append(found, a)
		}
	}
	return found, nil
}

// current is the condition that an announcement has an unfinished part. Its inner WHERE must
// repeat the predicate of the partial index word for word.
const current = `notice_id IN (SELECT announcement_id FROM announcement_audiences WHERE NOT finished)`

// CurrentAnnouncements returns, ordered by id, every announcement with an unfinished part, even
// if it is retracted or over. Each one has all its parts.
func (s *Store) CurrentAnnouncements(ctx context.Context) ([]notifier.Announcement, error) {
	found, err := s.announcements(ctx, current)
	return found, s.fail(err, "read the current announcements")
}

// announcements reads announcements and their parts in a single statement, so that both are
// consistent.
func (s *Store) announcements(ctx context.Context, where string, args ...any) ([]notifier.Announcement, error) {
	var found []notifier.Announcement
	err := s.all(ctx, func(rows *sql.Rows) error {
		var p notifier.Part
		var edited, from int64
		n, err := scanNotice(rows, append([]any{&edited, &from, &p.Audience}, partFields(&p)...)...)
		if err != nil {
			return err
		}
		if len(found) == 0 || found[len(found)-1].ID != n.ID {
			found = append(found, notifier.Announcement{Notice: n, EditedAt: fromMillis(edited), ReadsFrom: from})
		}
		last := &found[len(found)-1]
		last.Parts = append(last.Parts, p)
		return nil
	}, announcementsQuery(where), args...)
	return found, err
}

func announcementsQuery(where string) string {
	return `SELECT ` + noticeColumns + `, edited_at, reads_from, audience, ` + partColumns + ` FROM announcements
		JOIN notices ON id = notice_id JOIN announcement_audiences ON announcement_id = notice_id
		WHERE ` + where + ` ORDER BY notice_id, audience`
}

// partColumns are the columns of announcement_audiences from which a notifier.Part is read,
// besides its key.
const partColumns = `withdrawn, settled, top, members, finished, reads`

// partFields returns the scan destinations of partColumns.
func partFields(p *notifier.Part) []any {
	return []any{&p.Left, &p.Settled, &p.Top, &p.Members, &p.Finished, &p.Reads}
}

// titlesShown is the maximum number of conflicting announcements named in a rejection.
const titlesShown = 3

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
	titles := make([]string, 0, titlesShown)
	for _, o := range open[:min(len(open), titlesShown)] {
		titles = append(titles, o.title)
	}
	return strings.Join(titles, ", ")
}
