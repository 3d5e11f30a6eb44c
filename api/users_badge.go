package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// registerBadge adds the call about the number on the bell.
func registerBadge(u *users) {
	register(u.server, call{
		id: "get-badge", group: groupUsers, method: http.MethodGet, path: userPath + "/badge", scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "The number on the bell",
		about: "Unread notices and unread announcements, always as they are now. Of two answers take each half from the one with the higher version: " +
			"`ver` belongs to `inbox`, `aver` to `announcements`.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "bob", summary: "How many has Bob not read?", params: map[string]string{"name": "bob"}}},
	}, u.badge)
}

type badgeOutput struct {
	Body badgeAnswer
}

// badgeAnswer is notifier.Badge, described.
type badgeAnswer struct {
	Unread        int64 `json:"unread" minimum:"0" doc:"Inbox and announcements together."`
	Inbox         int64 `json:"inbox" minimum:"0" doc:"Notices that he has not read."`
	Announcements int64 `json:"announcements" minimum:"0" doc:"Open announcements that he has not read."`
	Ver           int64 `json:"ver" doc:"Versions inbox; it only rises."`
	AVer          int64 `json:"aver" doc:"Versions announcements."`
}

func (u *users) badge(ctx context.Context, in *userInput) (*badgeOutput, error) {
	return u.withBoard(ctx, in.Name, func(who person) (notifier.Badge, error) {
		badges, err := u.Inbox.Badges(ctx, []int64{who.Seq})
		if err != nil {
			return notifier.Badge{}, err
		}
		if badges[0].Ver == 0 {
			return notifier.Badge{}, fmt.Errorf("user %d is gone: %w", who.Seq, notifier.ErrNotFound)
		}
		return badges[0], nil
	})
}

// withBoard joins the inbox's half of a user's badge with the announcements' half.
func (u *users) withBoard(ctx context.Context, name string, inbox func(who person) (notifier.Badge, error)) (*badgeOutput, error) {
	var b, board notifier.Badge
	err := u.known.serve(ctx, name, func(who person) (err error) {
		wait := u.countBoard(ctx, who)
		b, err = inbox(who)
		var boardErr error
		board, boardErr = wait()
		return cmp.Or(err, boardErr)
	})
	if err != nil {
		return nil, err
	}
	return &badgeOutput{badgeAnswer{
		Unread: b.Inbox + board.Announcements, Inbox: b.Inbox, Announcements: board.Announcements, Ver: b.Ver, AVer: board.AVer,
	}}, nil
}

// countBoard asks for the announcements' half while the caller asks for the other,
// and must be waited for.
func (u *users) countBoard(ctx context.Context, who person) (wait func() (notifier.Badge, error)) {
	type half struct {
		badges []notifier.Badge
		err    error
	}
	found := make(chan half, 1)
	go func() {
		badges, err := u.Board.Badges(ctx, []notifier.Reader{who.Reader})
		found <- half{badges, err}
	}()
	return func() (notifier.Badge, error) {
		h := <-found
		if h.err != nil {
			return notifier.Badge{}, h.err
		}
		return h.badges[0], nil
	}
}
