package session

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// The text of a copy in Redis.
const (
	version   = "5"
	separator = "\n" // no name, display name, role, locale or zone contains a control character
	fields    = 18   // before the roles
)

func encode(s Signed) string {
	u := &s.User
	head := [fields]string{
		version, strconv.FormatInt(s.Since.UnixMilli(), 10), strconv.FormatInt(u.Seq, 10),
		strconv.Itoa(int(u.Audience)), u.Locale, u.Theme, strconv.FormatBool(u.KeysOff),
		strconv.FormatBool(u.ToastsOff), strconv.FormatBool(u.OpensOnly), u.Name, encodeBy(s.By), strconv.FormatInt(u.Paused, 10), strconv.FormatBool(u.Compact),
		u.Display, u.Zones.Chosen, u.Zones.Seen, strconv.FormatInt(u.Zones.SeenAt, 10), strconv.FormatInt(nanos(s.Read), 10),
	}
	return strings.Join(append(head[:], u.Roles...), separator)
}

// decode returns false for text that encode did not write, such as a copy by an instance of another
// version; the session is then read from SQL.
func decode(id, text string) (Signed, bool) {
	parts := strings.Split(text, separator)
	if len(parts) < fields || parts[0] != version {
		return Signed{}, false
	}
	since, err1 := strconv.ParseInt(parts[1], 10, 64)
	seq, err2 := strconv.ParseInt(parts[2], 10, 64)
	audience, err3 := strconv.Atoi(parts[3])
	paused, err4 := strconv.ParseInt(parts[11], 10, 64)
	zoneAt, err5 := strconv.ParseInt(parts[16], 10, 64)
	read, err6 := strconv.ParseInt(parts[17], 10, 64)
	if cmp.Or(err1, err2, err3, err4, err5, err6) != nil {
		return Signed{}, false
	}
	user := notifier.User{
		Seq: seq, Audience: notifier.Audience(audience), Name: parts[9], Display: parts[13], Paused: paused,
		Zones: notifier.Zones{Chosen: parts[14], Seen: parts[15], SeenAt: zoneAt},
		Settings: notifier.Settings{
			Locale: parts[4], Theme: parts[5], KeysOff: parts[6] == "true", ToastsOff: parts[7] == "true", OpensOnly: parts[8] == "true", Compact: parts[12] == "true",
		},
	}
	if len(parts) > fields {
		user.Roles = parts[fields:]
	}
	by, ok := decodeBy(parts[10])
	return Signed{User: user, ID: id, Since: time.UnixMilli(since).UTC(), Read: fromNanos(read), By: by}, ok
}

// nanos returns the ns since 1970; 0: the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// encodeBy writes when the session of a provider ends, in ms, and "+" for staff by their groups.
func encodeBy(by *notifier.Provided) string {
	switch {
	case by == nil:
		return ""
	case by.Staff:
		return "+" + strconv.FormatInt(by.Until.UnixMilli(), 10)
	}
	return strconv.FormatInt(by.Until.UnixMilli(), 10)
}

func decodeBy(text string) (*notifier.Provided, bool) {
	if text == "" {
		return nil, true
	}
	until, staff := strings.CutPrefix(text, "+")
	ms, err := strconv.ParseInt(until, 10, 64)
	return &notifier.Provided{Until: time.UnixMilli(ms).UTC(), Staff: staff}, err == nil
}
