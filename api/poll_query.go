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

// pollSince is how far back a poll without since goes.
const pollSince = 3 * 24 * time.Hour

// parseSince parses an `at` (a version of an inbox, from 0 to notifier.MaxAt) or an RFC 3339
// time, which it converts to milliseconds.
func parseSince(text string) (at int64, ok bool) {
	if at, err := strconv.ParseInt(text, 10, 64); err == nil {
		return at, at >= 0 && at <= notifier.MaxAt
	}
	t, err := parseTime(text)
	if err != nil || t.UnixMilli() < 0 {
		return 0, false
	}
	return t.UnixMilli(), true
}

// parseTime parses an RFC 3339 time in an address. A plus sign that was not escaped arrives as a space.
func parseTime(text string) (time.Time, error) {
	return time.Parse(time.RFC3339, strings.ReplaceAll(text, " ", "+"))
}

// selection is the part of a poll that its cursors belong to.
func (in *pollInput) selection() string {
	if in.Type == "" && in.Text == "" {
		return in.Scope
	}
	return in.Scope + "|" + in.Type + "|" + in.Text
}

// cursor encodes the start of a page for the caller to send back: the `at` after which the
// page begins, newest from the first page, and a checksum of both, the user and the selection. It
// returns "" after the last page. A cursor gives access to nothing that the call would not
// show anyway; the checksum only detects cursors that were made up or belong elsewhere.
func cursor(seq int64, selection string, at, newest int64) string {
	if at == 0 {
		return ""
	}
	b, _ := binary.Append(make([]byte, 0, cursorSize), binary.BigEndian, [2]int64{at, newest}) // fails only for values without a fixed size
	text := strconv.FormatInt(seq, 36) + "|" + selection + "|" + string(b)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(text)))
	return base64.RawURLEncoding.EncodeToString(b)
}

const cursorSize = 8 + 8 + 4

// parseCursor decodes a cursor for this user and selection. For anything else it returns 0, 0,
// the first page.
func parseCursor(seq int64, selection, text string) (at, newest int64) {
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
	if at <= 0 || at > notifier.MaxAt || newest < 0 || newest > notifier.MaxAt || cursor(seq, selection, at, newest) != text {
		return 0, 0
	}
	return at, newest
}
