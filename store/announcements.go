package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// AnnouncementRevision returns a number that rises with every new announcement and with every
// edit, retraction and deletion of one.
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

// announcements reads announcements and their parts in a single statement, so that both are of
// the same moment.
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

// partColumns are the columns of announcement_audiences that a notifier.Part is read from,
// besides its key.
const partColumns = `withdrawn, settled, top, members, finished, reads`

// partFields returns the scan destinations of partColumns.
func partFields(p *notifier.Part) []any {
	return []any{&p.Left, &p.Settled, &p.Top, &p.Members, &p.Finished, &p.Reads}
}
