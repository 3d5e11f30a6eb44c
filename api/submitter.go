package api

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// submitter converts the notices and questions of a sender to requests.
type submitter struct {
	audiences map[notifier.Audience]string // names by number
	sender    notifier.Ref
	app       int64 // 0: none
}

// submitter returns the one of the key that makes a call.
func (s *server) submitter(ctx context.Context) submitter {
	key := callerOf(ctx)
	return submitter{s.Audiences, senderOf(key), key.AppID}
}

// request converts a notice. The index is its place in a batch, and negative outside of one.
func (s submitter) request(once string, n *noticeInput, index int) (notifier.Request, error) {
	d, err := n.draft(s.audiences, s.sender)
	if err != nil {
		return notifier.Request{}, err
	}
	d.App.ID = s.app
	r := notifier.Request{Draft: d}
	r.Once, err = onceOf(once, s.sender, n, index)
	return r, err
}
