package inbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

var (
	errSnapshot = errors.New("malformed snapshot")
	errUnclear  = errors.New("sql does not have the rest of the inbox")
)

// parseSnapshot parses {…, unread, ver, opened, fields, heads, words, length of gone, floor, kept,
// archive}, and completes it from known. It returns errUnclear if known lacks data.
func parseSnapshot(seq int64, r script.Reply, known notifier.Snapshot) (notifier.Snapshot, error) {
	s := notifier.Snapshot{Seq: seq, Unread: r.Number(0), Ver: r.Number(1), Opened: r.Number(2), Floor: r.Number(7), Kept: parseIDs(r.Text(8))}
	var err error
	if s.Rows, err = parseRows(r.Text(3), r.Text(4), known.Rows); err != nil {
		return s, err
	}
	if s.Gone, err = parseGone(r.Text(5), int(r.Number(6)), known.Gone); err != nil {
		return s, err
	}
	s.Archived, err = parseArchive(r.List(9))
	return s, err
}

// parseRows joins the fields of an inbox with their numbers: the numbers of the first rows are in
// heads, the others in known, in the same order. A row without numbers is omitted.
func parseRows(fields, heads string, known []notifier.SnapshotRow) ([]notifier.SnapshotRow, error) {
	if fields == "" {
		return nil, nil
	}
	rows := make([]notifier.SnapshotRow, 0, strings.Count(fields, "\n")+1)
	left := strings.Count(heads, "\n") + 1
	if heads == "" {
		left = 0
	}
	var head string
	for field := range strings.SplitSeq(fields, "\n") {
		row := notifier.SnapshotRow{Field: field}
		if left > 0 {
			left--
			head, heads, _ = strings.Cut(heads, "\n")
			if head == "-" {
				continue
			}
			if err := parseHead(head, &row); err != nil {
				return nil, err
			}
		} else {
			key := keyOf(field)
			i := slices.IndexFunc(known, func(k notifier.SnapshotRow) bool { return keyOf(k.Field) == key })
			if i < 0 {
				return nil, errUnclear
			}
			row.NoticeID, row.At, row.Expires, row.Members = known[i].NoticeID, known[i].At, known[i].Expires, known[i].Members
			known = known[i+1:]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// keyOf returns the entry key of a field. A field without a state, which only corruption can cause, is its own key.
func keyOf(field string) string {
	if key, _, ok := notifier.SplitField(field); ok {
		return key
	}
	return field
}

// parseHead parses ID AT EXPIRY and, for a group, the word of its members.
func parseHead(head string, row *notifier.SnapshotRow) error {
	var n [3]int64
	var found int
	if row.Members, found = parsePlace(head, n[:]); found != 3 {
		return fmt.Errorf("%w: a row without its three numbers", errSnapshot)
	}
	row.NoticeID, row.At, row.Expires = n[0], n[1], n[2]
	return nil
}

// parseGone parses ID SCORE of the notices that left since known, and prepends the notices of known that are still
// in gone. Notices leave gone only at its beginning, so its length determines how many remain.
func parseGone(words string, length int, known []notifier.GoneNotice) ([]notifier.GoneNotice, error) {
	if length == 0 {
		return nil, nil
	}
	late := make([]notifier.GoneNotice, 0, (strings.Count(words, " ")+1)/2)
	for rest, more := words, words != ""; more; {
		var id, score string
		id, rest, _ = strings.Cut(rest, " ")
		score, rest, more = strings.Cut(rest, " ")
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: a notice id is not a number", errSnapshot)
		}
		at, err := strconv.ParseFloat(score, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: a score of gone is not a number", errSnapshot)
		}
		late = append(late, notifier.GoneNotice{NoticeID: n, Score: at})
	}
	if length <= len(late) {
		return late, nil
	}
	again := make(map[int64]bool, len(late)) // a notice may leave twice, the second time retracted
	for _, g := range late {
		again[g.NoticeID] = true
	}
	early := slices.DeleteFunc(slices.Clone(known), func(g notifier.GoneNotice) bool { return again[g.NoticeID] })
	if len(early)+len(late) < length {
		return nil, errUnclear
	}
	return append(early[len(early)+len(late)-length:], late...), nil
}
