package store

import (
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// encodeMembers encodes the groups of rows and the words of archived entries as text: lines of the id of the row's notice, a space and
// the word. They have a column of their own, because instances of an older version write the others, and a word whose row
// is gone has no effect.
func encodeMembers(rows []notifier.SnapshotRow, archived []notifier.ArchivedRow) []byte {
	b := []byte{}
	add := func(id int64, word string) {
		if word != "" {
			b = append(append(strconv.AppendInt(b, id, 10), ' '), word...)
			b = append(b, '\n')
		}
	}
	for i := range rows {
		add(rows[i].NoticeID, rows[i].Members)
	}
	for i := range archived {
		add(archived[i].NoticeID, archived[i].Word())
	}
	return b
}

// assignMembers gives the rows their groups, and the archived entries their words.
func assignMembers(text []byte, rows []notifier.SnapshotRow, archived []notifier.ArchivedRow) {
	if len(text) == 0 {
		return
	}
	words := map[int64]string{}
	for line := range strings.Lines(string(text)) {
		id, word, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			words[n] = word
		}
	}
	for i := range rows {
		rows[i].Members = words[rows[i].NoticeID]
	}
	for i := range archived {
		archived[i].SetWord(words[archived[i].NoticeID])
	}
}
