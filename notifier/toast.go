package notifier

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxToastAge is how old a toast of a notice may be when it pops up. What waited
// longer is in the inbox.
const MaxToastAge = time.Hour

// MaxToastIDs is how many toasts can be acknowledged at once: as many as can wait
// for one user.
const MaxToastIDs = 200

// Toast is a message that shows for some seconds on one of its user's devices.
type Toast struct {
	ID       string // MS-N, of this user alone: another's may have the same
	NoticeID int64  // 0: it stands alone
	Key      string // of its row in the inbox; empty: it has none
	At       int64  // of that row when the toast was taken; 0: not known
	Content  []byte // JSON with title, body and link, and maybe more
	RaisedAt time.Time
	Tries    int64 // how often it was taken to be shown, this time included
}

// ToastRaise is a toast as it is raised for some users.
type ToastRaise struct {
	NoticeID int64  // 0: it stands alone
	Key      string // of its row in the inboxes of these users; empty: it has none
	Content  []byte // JSON with title, body and link, as EncodeContent makes it
	EndsAt   int64  // ms; 0: nothing ends it but its age
	Token    string // without a NoticeID: what makes a repeated raise the same raise
	Seqs     []int64
}

// Taken is what an instance took over of one user's toasts, the oldest first, to
// show them.
type Taken struct {
	Toasts []Toast
	Again  time.Duration // others hold some: they can be taken after this; 0: none
	Err    error         // why he could not be served; nil: he was
}

// ParseToastIDs reads ids as browsers acknowledge them, with commas between.
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
			return nil, fmt.Errorf("%.40q is no id of a toast", id)
		}
	}
	return ids, nil
}
