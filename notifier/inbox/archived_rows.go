package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// chosen returns the archived entries, or with q.Later the snoozed ones.
func chosen(rows []notifier.ArchivedRow, q notifier.Query) []notifier.ArchivedRow {
	return slices.DeleteFunc(rows, func(r notifier.ArchivedRow) bool { return r.Snoozed != q.Later })
}

// archived reads the archive of a user, by key. Snoozed entries are among them.
func (b *Inbox) archived(ctx context.Context, seq int64) ([]notifier.ArchivedRow, script.Reply, error) {
	r, err := b.one(ctx, seq, func(_, _ int64) *redis.Cmd {
		return readArchive.Run(ctx, b.rdb, []string{b.k.State(seq), b.k.Archive(seq)})
	})
	if err != nil {
		return nil, r, err
	}
	rows, err := parseArchive(r.List(2))
	return rows, r, err
}

// archivedEntries returns the visible entries among these rows, with their contents.
func archivedEntries(ctx context.Context, sql Snapshots, seq int64, rows []notifier.ArchivedRow, now int64) ([]notifier.Entry, error) {
	rows = slices.DeleteFunc(rows, func(r notifier.ArchivedRow) bool { return !r.Visible(now) })
	if len(rows) == 0 || sql == nil {
		return nil, nil
	}
	places := make([]notifier.SnapshotRow, len(rows))
	for i := range rows {
		places[i] = placeOf(&rows[i])
	}
	contents, err := sql.Contents(ctx, shownBy(places))
	if err != nil {
		return nil, fmt.Errorf("read the contents of %d notices: %w", len(rows), script.MarkAway(err))
	}
	entries := make([]notifier.Entry, 0, len(rows))
	for i, row := range places {
		if e, ok := entryOf(seq, succeeded(row, among(contents)), contents, now); ok {
			e.Until = rows[i].Due()
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// placeOf returns the row that an archived entry would be in the inbox.
func placeOf(r *notifier.ArchivedRow) notifier.SnapshotRow {
	return notifier.SnapshotRow{Field: r.Key + notifier.ReadSuffix, NoticeID: r.NoticeID, At: r.At, Expires: r.Expires, Members: r.Members}
}

// archiveValue returns the stored value of an archived entry: ID AT EXPIRY ARCHIVED and its word, if it has one.
func archiveValue(r *notifier.ArchivedRow) string {
	return strings.TrimSuffix(fmt.Sprintf("%d %d %d %d %s", r.NoticeID, r.At, r.Expires, r.ArchivedAt, r.Word()), " ")
}

// parseArchive parses keys and values, and returns the rows ordered by key.
func parseArchive(pairs []any) ([]notifier.ArchivedRow, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	rows := make([]notifier.ArchivedRow, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		var r notifier.ArchivedRow
		r.Key, _ = pairs[i].(string)
		value, _ := pairs[i+1].(string)
		var n [4]int64
		word, found := parsePlace(value, n[:])
		if found != 4 {
			return nil, fmt.Errorf("%w: an archived entry without its four numbers", errSnapshot)
		}
		r.SetWord(word)
		r.NoticeID, r.At, r.Expires, r.ArchivedAt = n[0], n[1], n[2], n[3]
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b notifier.ArchivedRow) int { return strings.Compare(a.Key, b.Key) })
	return rows, nil
}
