package handlers

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// pageTag says all that the first page of an inbox with nothing unread depends
// on. Its text is the page's ETag.
type pageTag struct {
	ver     int64  // of the inbox
	variant uint64 // of the user, his settings, the language, the time zone, the day, the types of notices and the build
	above   uint64 // of the announcements, as far as they show on it
}

// sum is a hash of all parts, which knows where one ends.
func sum(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write([]byte(part)) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// sum is what of the announcements every page shows: how many are unread, and
// which are pinned. Their version is not in it: most of what raises it shows nowhere.
func (a announced) sum() uint64 {
	parts := []string{strconv.FormatInt(a.Unread, 10)}
	for i := range a.Items {
		if post := &a.Items[i]; post.Pinned && !post.Read {
			parts = append(parts, strconv.FormatInt(post.ID, 10), post.Title)
		}
	}
	return sum(parts...)
}

// variantOf is what a user's page depends on beside his inbox. It is the same
// on every instance of one build.
func (h *Handlers) variantOf(r *http.Request) uint64 {
	now := h.now(r)
	user := &visitOf(r).user.User
	return sum(
		h.Build, h.files.Hash(), strconv.FormatInt(user.Seq, 10), strconv.FormatBool(user.HasRole(notifier.RoleStaff)),
		user.Theme, strconv.FormatBool(user.KeysOff),
		h.text(r).Lang(), now.Location().String(), now.Format(time.DateOnly),
		strconv.FormatUint(h.sumOfTypes(&h.summed), 36),
	)
}

// etag is the tag with the moment until which the page is right at most: an
// entry that expires leaves pages before the version rises.
func (t pageTag) etag(until time.Time) string {
	return `"` + strconv.FormatInt(t.ver, 36) + "-" + strconv.FormatUint(t.variant, 36) + "-" +
		strconv.FormatUint(t.above, 36) + "-" + strconv.FormatInt(until.UnixMilli(), 36) + `"`
}

// heldBy says whether the browser holds that very page, and it is still right.
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

// expiryOf is when the first of the entries expires, or a year from now.
func expiryOf(entries []notifier.Entry, now time.Time) time.Time {
	first := now.AddDate(1, 0, 0).Truncate(time.Millisecond)
	for i := range entries {
		if at := entries[i].ExpiresAt; !at.IsZero() && at.Before(first) {
			first = at
		}
	}
	return first
}
