package api

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// registerBadge adds the call that returns a user's badge.
func registerBadge(u *users) {
	register(u.server, call{
		id: "get-badge", group: groupUsers, method: http.MethodGet, path: userPath + "/badge", scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "Get a user's badge",
		about: "The badge is the number on the bell: unread notices plus unread announcements at this moment. To combine two answers, take each half from the one with " +
			"the higher version: `ver` is the version of `inbox`, `aver` that of `announcements`.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "bob", summary: "Bob's badge", params: map[string]string{"name": "bob"}}},
	}, u.badge)
}

type badgeOutput struct {
	Body badgeAnswer
}

// badgeAnswer is a notifier.Badge in an answer.
type badgeAnswer struct {
	Unread        int64 `json:"unread" minimum:"0" doc:"The sum of inbox and announcements."`
	Inbox         int64 `json:"inbox" minimum:"0" doc:"Number of unread notices in the inbox."`
	Announcements int64 `json:"announcements" minimum:"0" doc:"Number of open announcements that the user has not read."`
	Ver           int64 `json:"ver" doc:"The version of inbox, which only rises."`
	AVer          int64 `json:"aver" doc:"The version of announcements."`
}

func (u *users) badge(ctx context.Context, in *userInput) (*badgeOutput, error) {
	return u.withAnnouncements(ctx, in.Name, func(who knownUser) (notifier.Badge, error) {
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

// withAnnouncements adds the announcements' half of a user's badge to the inbox's half.
func (u *users) withAnnouncements(ctx context.Context, name string, inbox func(who knownUser) (notifier.Badge, error)) (*badgeOutput, error) {
	var b, announcements notifier.Badge
	err := u.known.serve(ctx, name, func(who knownUser) (err error) {
		wait := u.countAnnouncements(ctx, who)
		b, err = inbox(who)
		var announcementsErr error
		announcements, announcementsErr = wait()
		return cmp.Or(err, announcementsErr)
	})
	if err != nil {
		return nil, err
	}
	b.SetAnnouncements(announcements.Announcements, announcements.AVer)
	return &badgeOutput{badgeAnswer(b)}, nil
}

// countAnnouncements fetches the announcements' half of a badge while the caller fetches the other.
// The caller must call wait.
func (u *users) countAnnouncements(ctx context.Context, who knownUser) (wait func() (notifier.Badge, error)) {
	type half struct {
		badges []notifier.Badge
		err    error
	}
	found := make(chan half, 1)
	go func() {
		badges, err := u.Announcements.Badges(ctx, []notifier.Reader{who.Reader})
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
