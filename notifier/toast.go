package notifier

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxToastAge is the maximum age at which the toast of a notice is still shown. Afterwards the user finds the notice
// in the inbox.
const MaxToastAge = time.Hour

// MaxToastIDs is the maximum number of toasts that can be acknowledged at once, and that can wait for one user.
const MaxToastIDs = 200

// Toast is a message that is shown for a few seconds on one of its user's devices.
type Toast struct {
	ID       string // MS-N; unique per user
	NoticeID int64  // 0: not part of a notice
	Key      string // of its inbox entry; empty: none
	At       int64  // of that entry when the toast was claimed; 0: unknown
	Content  []byte // JSON of a Content, and if it comes from a row the lines of its group
	RaisedAt time.Time
	Tries    int64 // number of times that an instance claimed it, including this one
}

// ToastRaise is a toast to raise for some users.
type ToastRaise struct {
	NoticeID int64  // 0: not part of a notice
	Key      string // of its entry in these users' inboxes; empty: it has none
	Content  []byte // JSON with title, body and link, as EncodeContent returns it
	EndsAt   int64  // ms; 0: it ends only by age
	Token    string // without a NoticeID: identifies the raise, so that repeating it has no effect
	Seqs     []int64
}

// Taken is the result of claiming one user's toasts, oldest first.
type Taken struct {
	Toasts []Toast
	Again  time.Duration // other instances have claimed some, which can be claimed after this time; 0: none
	Err    error         // why the toasts could not be claimed
}

// ParseToastIDs parses the comma-separated ids that a browser acknowledges.
func ParseToastIDs(text string) ([]string, error) {
	ids := strings.Split(text, ",")
	if len(ids) > MaxToastIDs {
		return nil, fmt.Errorf("%d toasts at once, %d at most", len(ids), MaxToastIDs)
	}
	for _, id := range ids {
		ms, n, ok := strings.Cut(id, "-")
		_, bad1 := strconv.ParseUint(ms, 10, 63)
		_, bad2 := strconv.ParseUint(n, 10, 63)
		if !ok || bad1 != nil || bad2 != nil || ms[0] == '+' || n[0] == '+' {
			return nil, fmt.Errorf("%.40q is not a toast id", id)
		}
	}
	return ids, nil
}

// MaxToastBody is the maximum length of a toast's body in characters, more than a toast shows.
const MaxToastBody = 300

// ToastContent returns content, which is JSON from EncodeContent, with the body shortened to
// MaxToastBody: each user's toast is stored separately. Content that cannot be decoded is
// returned unchanged.
func ToastContent(content []byte) []byte {
	if len(content) <= MaxToastBody {
		return content
	}
	var c Content
	if err := json.Unmarshal(content, &c); err != nil || utf8.RuneCountInString(c.Body) <= MaxToastBody {
		return content
	}
	c.Body = Shorten(c.Body, MaxToastBody)
	clipped, err := EncodeContent(c)
	if err != nil {
		return content
	}
	return clipped
}
