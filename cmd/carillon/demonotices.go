package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/pipeline"
)

// demoNotice is a notice of the demonstration, sent some time ago.
type demoNotice struct {
	ago time.Duration
	notifier.Draft
}

// demoNotices is what the inboxes of a fresh demonstration hold, oldest first:
// a few days of a shop in which people also show each other photos.
func demoNotices() []demoNotice {
	const day = 24 * time.Hour
	to := func(names ...string) notifier.Target { return notifier.Target{Users: names} }
	pickers := notifier.Target{Role: "picker"}
	return []demoNotice{
		{4*day + 3*time.Hour, notifier.Draft{
			Target: to("alice", "bob", "carol", "dave"), Type: "welcome", Title: "Welcome to Carillon", Link: "/settings",
			Body: "This is your inbox. Opening it turns everything in it to read; the bell shows what came since.",
		}},
		{3*day + 5*time.Hour, notifier.Draft{
			Target: to("bob", "carol"), Type: "invite", Subject: "album:12", Link: "/inbox",
			Title: "Alice invites you to the album “Spring inventory”", Body: "24 photos so far. Yours are missing.",
		}},
		{3 * day, notifier.Draft{
			Target: pickers, Type: "order.late", Subject: "order:4187", Link: "/inbox",
			Title: "Order 4187 is late", Body: "The parcel left Rotterdam on Tuesday and has not arrived in Lyon.",
		}},
		{2*day + time.Hour, notifier.Draft{
			Target: to("bob", "dave"), Type: "shift", Subject: "week:47",
			Title: "Your shift on Friday has changed", Body: "It is now 14:00 to 22:00. Swap it in the plan if that does not suit you.",
		}},
		{day + 4*time.Hour, notifier.Draft{
			Target: to("bob"), Type: "like", Subject: "photo_id:1:user_id:7", Link: "/inbox",
			Title: "Carol likes your photo", Body: "Harbour at dusk",
		}},
		{day + time.Hour, notifier.Draft{
			Target: to("alice"), Type: "report", Subject: "week:47", Link: "/staff/notices",
			Title: "The weekly report is ready", Body: "412 orders, 3 returns, 98.2 % on time.",
		}},
		{day, notifier.Draft{
			Target: to("bob", "alice"), Type: "security", Link: "/settings",
			Title: "A new device signed in", Body: "Firefox on Linux, near Utrecht. If that was not you, sign out everywhere.",
		}},
		{95 * time.Minute, notifier.Draft{
			Target: to("bob"), Type: "mention", Subject: "page:returns", Link: "/inbox",
			Title: "Alice mentioned you in “Returns policy”", Body: "@bob could you check the second paragraph before noon?",
		}},
		{38 * time.Minute, notifier.Draft{
			Target: pickers, Type: "rep_notice", Scope: "119240", Subject: "aisle:7",
			Title: "Aisle 7 needs restocking", Body: "Only 12 units of item 40-118 are left.",
		}},
		{6 * time.Minute, notifier.Draft{
			Target: to("bob"), Type: "comment", Subject: "photo_id:1", Link: "/inbox",
			Title: "Dave commented on your photo", Body: "Where was this taken? The light on the water is wonderful.",
		}},
	}
}

// sendDemo fills the inboxes of a fresh demonstration, through a pipeline whose
// clock is behind: there is a yesterday then.
func sendDemo(ctx context.Context, c pipeline.Config, notices []demoNotice) error {
	var ago atomic.Int64
	c.Now = func() time.Time { return time.Now().Add(-time.Duration(ago.Load())) }
	c.Idle = sendIdle
	p := pipeline.New(c)
	stop := delivering(ctx, p)
	var err error
	for _, d := range notices {
		ago.Store(int64(d.ago))
		d.Sender = "alice"
		if _, err = p.Send(ctx, d.Draft); err != nil {
			break
		}
	}
	p.Close()
	if err = errors.Join(err, stop()); err != nil {
		return fmt.Errorf("send the notices of the demonstration: %w", err)
	}
	return nil
}
