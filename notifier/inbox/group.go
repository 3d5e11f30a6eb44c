package inbox

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// groupLines returns the lines of a group; empty for none.
func groupLines(g *notifier.Group) string {
	if g == nil {
		return ""
	}
	lines := []string{g.Members.String()}
	for i := range g.Actors {
		line := ""
		if a := &g.Actors[i]; a.Name != "" {
			text, _ := json.Marshal(a) // strings only
			line = string(text)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// withGroup appends the lines of a group to the content or the value of a row.
func withGroup(text []byte, g *notifier.Group) []byte {
	if g == nil {
		return text
	}
	return append(append(slices.Clip(text), '\n'), groupLines(g)...)
}

// parsePlace parses numbers and the word of members that may follow them. It returns how many numbers there are.
func parsePlace(text string, numbers []int64) (members string, found int) {
	for word := range strings.FieldsSeq(text) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || found == len(numbers) {
			return word, found
		}
		numbers[found] = n
		found++
	}
	return "", found
}

// listed reports whether a value, of a row or of the archive, belongs to this notice or lists it among its members.
func listed(value string, id int64) bool {
	digits := strconv.FormatInt(id, 10)
	if strings.HasPrefix(value, digits+" ") {
		return true
	}
	_, lines, row := strings.Cut(value, "\n")
	if !row {
		lines = value[strings.LastIndexByte(value, ' ')+1:]
	}
	word, _, _ := strings.Cut(lines, "\n")
	return strings.Contains(word, ","+digits+"=")
}

// noticeFunc returns a notice; nil: it is not known.
type noticeFunc func(id int64) *notifier.Notice

func among(contents map[int64]notifier.Notice) noticeFunc {
	return func(id int64) *notifier.Notice {
		if n, ok := contents[id]; ok {
			return &n
		}
		return nil
	}
}

// laterMembers is how many of the latest notices of a group are read with its row, in case some were edited or retracted
// while it was not in Redis.
const laterMembers = 50

// shownBy returns the ids of the notices that are needed to show these rows.
func shownBy(rows []notifier.SnapshotRow) []int64 {
	ids := make([]int64, 0, len(rows))
	for i := range rows {
		ids = append(ids, rows[i].NoticeID)
		m, ok := notifier.ParseMembers(rows[i].Members)
		if !ok {
			continue
		}
		for _, n := range m.Notices[max(0, len(m.Notices)-laterMembers):] {
			ids = append(ids, n.ID)
		}
		for _, n := range firstOf(m.Latest(), notifier.MaxActorsShown) {
			ids = append(ids, n.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func firstOf[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// groupIn returns the group of a row.
func groupIn(row *notifier.SnapshotRow, notice noticeFunc) *notifier.Group {
	n := notice(row.NoticeID)
	m, ok := notifier.ParseMembers(row.Members)
	switch {
	case !ok && n != nil:
		return n.Group()
	case !ok:
		return nil
	}
	return groupOf(without(m, notice), n, notice, nil)
}

// succeeded returns the row as it is after retractions: if its notice was retracted, it is that of the latest remaining one
// of its group.
func succeeded(row notifier.SnapshotRow, notice noticeFunc) notifier.SnapshotRow {
	if n := notice(row.NoticeID); n == nil || !n.State.TakenBack() {
		return row
	}
	m, _ := notifier.ParseMembers(row.Members)
	for i := len(m.Notices) - 1; i >= 0; i-- {
		if n := notice(m.Notices[i].ID); n != nil && !n.State.TakenBack() {
			row.NoticeID, row.Expires = n.ID, millis(n.ExpiresAt)
			return row
		}
	}
	return row
}

// without returns the members that are not retracted, with their present actors.
func without(m notifier.Members, notice noticeFunc) notifier.Members {
	kept := make([]notifier.Member, 0, len(m.Notices))
	for _, member := range m.Notices {
		switch n := notice(member.ID); {
		case n == nil:
			kept = append(kept, member)
		case n.State.TakenBack():
			m.Times--
		default:
			kept = append(kept, notifier.Member{ID: member.ID, Actor: n.Extras.Actor.Code()})
		}
	}
	m.Notices = kept
	return m
}

// groupOf returns the group of these members, of which head is the latest, if it is known. Actors whose notices are not known
// are found in was, which may be nil.
func groupOf(m notifier.Members, head *notifier.Notice, notice noticeFunc, was *notifier.Group) *notifier.Group {
	if head != nil && m.Times == 1 {
		return head.Group()
	}
	if head != nil {
		m.Joins = head.Extras.More != nil
	}
	g := &notifier.Group{Members: m}
	for _, member := range firstOf(m.Latest(), notifier.MaxActorsShown) {
		var a notifier.RowActor
		if n := notice(member.ID); n != nil && n.Extras.Actor != nil {
			a = *n.Extras.Actor
		} else if was != nil {
			for i := range was.Actors {
				if was.Actors[i].Code() == member.Actor {
					a = was.Actors[i]
				}
			}
		}
		g.Actors = append(g.Actors, a)
	}
	return g
}
