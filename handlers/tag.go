package handlers

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// pageTag identifies everything that the first page of an inbox with nothing unread depends on. Its text form is the
// page's ETag.
type pageTag struct {
	ver     int64  // of the inbox
	variant uint64 // of the user, their settings and session, the language, time zone, day, types of notices, build, and what the visit found new
	above   uint64 // of the announcements on the page
}

// sum hashes the parts and their boundaries.
func sum(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write([]byte(part)) // a hash never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// sum hashes what every page shows of announcements: the number unread, which ones, and which of those are pinned. It
// leaves out their version, because most version changes are not visible.
func (a announced) sum() uint64 {
	parts := []string{strconv.FormatInt(a.Unread, 10)}
	for i := range a.Items {
		switch post := &a.Items[i]; {
		case post.Read:
		case post.Pinned:
			parts = append(parts, idText(post.ID), post.Title)
		default:
			parts = append(parts, idText(post.ID))
		}
	}
	return sum(parts...)
}

// variantOf hashes everything that a user's page depends on besides the inbox and the announcements. It is equal on
// all instances of one build.
func (h *Handlers) variantOf(r *http.Request) uint64 {
	now, frame, news := h.now(r), h.bareFrame(r), freshOf(r)
	user := &visitOf(r).user.User
	login := ""
	if frame.Push != "" { // with push on, the page contains the session
		login = frame.Viewer.Login
	}
	return sum(
		h.Build, h.files.Hash(), strconv.FormatInt(user.Seq, 10), strconv.FormatBool(user.HasRole(notifier.RoleStaff)),
		frame.Viewer.Shown, frame.Push, login, user.Theme, strconv.FormatBool(user.KeysOff), strconv.FormatBool(user.Compact),
		h.text(r).Lang(), now.Location().String(), now.Format(time.DateOnly),
		strconv.FormatUint(h.sumOfTypes(&h.summed), 36), h.sumOfMutes(r), h.paused(r), news.String(),
	)
}

// etag adds the time until which the page is valid: an entry that expires disappears from pages before the version
// rises.
func (t pageTag) etag(until time.Time) string {
	return `"` + strconv.FormatInt(t.ver, 36) + "-" + strconv.FormatUint(t.variant, 36) + "-" +
		strconv.FormatUint(t.above, 36) + "-" + strconv.FormatInt(until.UnixMilli(), 36) + `"`
}

// heldBy reports whether the browser has this version of the page and it is still valid.
func (t pageTag) heldBy(r *http.Request, now time.Time) (etag string, ok bool) {
	for held := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		held = strings.TrimPrefix(strings.TrimSpace(held), "W/")
		inner, quoted := strings.CutPrefix(held, `"`)
		inner, closed := strings.CutSuffix(inner, `"`)
		cut := strings.LastIndexByte(inner, '-')
		if !quoted || !closed || cut < 0 {
			continue
		}
		ms, err := strconv.ParseInt(inner[cut+1:], 36, 64)
		if err != nil || now.UnixMilli() >= ms {
			continue
		}
		if held == t.etag(time.UnixMilli(ms)) {
			return held, true
		}
	}
	return "", false
}

// expiryOf returns when the first entry expires, at most a year from now.
func expiryOf(entries []notifier.Entry, now time.Time) time.Time {
	first := now.AddDate(1, 0, 0).Truncate(time.Millisecond)
	for i := range entries {
		if at := entries[i].ExpiresAt; !at.IsZero() && at.Before(first) {
			first = at
		}
	}
	return first
}
