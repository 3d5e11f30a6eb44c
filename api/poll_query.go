package api

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// pollSince is how far back a poll looks that does not say.
const pollSince = 3 * 24 * time.Hour

// parseSince reads an at, up to notifier.MaxAt, or a time of RFC 3339. A plus sign that was not escaped in
// the address arrives as a space.
func parseSince(text string) (at int64, ok bool) {
	if at, err := strconv.ParseInt(text, 10, 64); err == nil {
		return at, at >= 0 && at <= notifier.MaxAt
	}
	t, err := time.Parse(time.RFC3339, strings.ReplaceAll(text, " ", "+"))
	if err != nil || t.UnixMilli() < 0 {
		return 0, false
	}
	return t.UnixMilli(), true
}

// cursor is where a page begins, as callers hand it back: the at behind which it
// does, newest of the first page, and a sum of these, of the user and of the scope.
// It opens nothing that the call does not show anyway; the sum only tells a place
// from what was made up. Behind the last page there is none.
func cursor(seq int64, scope string, at, newest int64) string {
	if at == 0 {
		return ""
	}
	b, _ := binary.Append(make([]byte, 0, cursorSize), binary.BigEndian, [2]int64{at, newest}) // fails only for what has no size
	text := strconv.FormatInt(seq, 36) + "|" + scope + "|" + string(b)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(text)))
	return base64.RawURLEncoding.EncodeToString(b)
}

const cursorSize = 8 + 8 + 4

// parseCursor reads what cursor wrote for this user and scope; of anything else it
// answers 0, the first page.
func parseCursor(seq int64, scope, text string) (at, newest int64) {
	if len(text) != base64.RawURLEncoding.EncodedLen(cursorSize) {
		return 0, 0
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != cursorSize {
		return 0, 0
	}
	var place [2]int64
	if _, err = binary.Decode(b, binary.BigEndian, &place); err != nil {
		return 0, 0
	}
	at, newest = place[0], place[1]
	if at <= 0 || at > notifier.MaxAt || newest < 0 || newest > notifier.MaxAt || cursor(seq, scope, at, newest) != text {
		return 0, 0
	}
	return at, newest
}
