package demo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
)

// Notice is a notice or an announcement of the demonstration, dated in the past.
type Notice struct {
	Ago time.Duration
	notifier.Draft
}

// Notices returns all notices and announcements of a fresh demonstration, oldest first, because
// the list of sent notices is in the order of their numbers.
func Notices(cfg *config.Config, now time.Time) []Notice {
	all := append(notices(now), announcements(cfg, now)...)
	for i := range all {
		if strings.HasPrefix(all[i].Link, "/") { // a page of Carillon
			all[i].Link = cfg.Path() + all[i].Link
		}
	}
	slices.SortStableFunc(all, func(a, b Notice) int { return cmp.Compare(b.Ago, a.Ago) })
	return all
}

// notices returns the notices in the inboxes of a fresh demonstration, oldest first: a few days of a
// shop whose staff also share photos.
func notices(now time.Time) []Notice {
	const day = 24 * time.Hour
	to := func(names ...string) notifier.Target { return notifier.Target{Users: names} }
	pickers := notifier.Target{Role: "picker"}
	weekday := func(days int) string { return now.AddDate(0, 0, days).Weekday().String() }
	_, week := now.AddDate(0, 0, -1).ISOWeek()
	ofWeek := fmt.Sprintf("week:%d", week)
	return []Notice{
		{4*day + 3*time.Hour, notifier.Draft{
			Target: to("alice", "bob", "carol", "dave"), Type: "welcome", Title: "Welcome to Carillon", Link: "/settings",
			Body: "This is your inbox. Open it and you're caught up. The bell counts what came since.",
		}},
		{3*day + 5*time.Hour, notifier.Draft{
			Target: to("bob", "carol"), Type: "invite", Subject: "album:12",
			Title: "Alice invites you to the album “Spring inventory”", Body: "24 photos so far. Yours are missing.", Extras: by("Alice"),
		}},
		{3 * day, notifier.Draft{
			Target: pickers, Type: "order.late", Subject: "order:4187", Link: "/announcements",
			Title: "Order 4187 is late", Body: "The parcel left Rotterdam on " + weekday(-5) + " and has not arrived in Lyon. The announcements say until when orders arrive in time.",
		}},
		{2*day + time.Hour, notifier.Draft{
			Target: to("bob", "dave"), Type: "shift", Subject: ofWeek,
			Title: "Your shift on " + weekday(2) + " has changed", Body: "It is now 14:00 to 22:00. Swap it in the plan if that does not suit you.",
		}},
		{day + 4*time.Hour, notifier.Draft{
			Target: to("bob"), Type: "like", Subject: "photo_id:1:user_id:7",
			Title: "Carol likes your photo", Body: "Harbour at dusk", Extras: by("Carol"),
		}},
		{day + time.Hour, notifier.Draft{
			Target: to("alice"), Type: "report", Subject: ofWeek, Link: "/staff/notices",
			Title: "The weekly report is ready", Body: "412 orders, 3 returns, 98.2 % on time.",
		}},
		{day, notifier.Draft{
			Target: to("bob", "alice"), Type: "security", Link: "/settings?tab=account",
			Title: "A new device signed in", Body: "Firefox on Linux, near Utrecht. If that was not you, sign out everywhere.",
		}},
		{5 * time.Hour, notifier.Draft{
			Target: to("erin"), Type: "order.sent", Subject: "order:5120", Link: "/announcements",
			Title: "Order 5120 is on its way", Body: "It should arrive in two days. Returns are free: see the announcements.",
		}},
		{95 * time.Minute, notifier.Draft{
			Target: to("bob"), Type: "mention", Subject: "page:returns", Link: "/announcements",
			Title: "Alice mentioned you in “Returns policy”", Body: "@bob could you check the second paragraph before noon?", Extras: by("Alice"),
		}},
		{50 * time.Minute, notifier.Draft{
			Target: to("alice", "erin"), Type: "order.sent", Subject: "order:5121", Link: "/announcements",
			Title: "ご注文 5121 を発送しました", Body: "お届けは明後日の予定です。返品は無料です。",
		}},
		{38 * time.Minute, notifier.Draft{
			Target: pickers, Type: "rep_notice", Scope: "119240", Subject: "aisle:7",
			Title: "Aisle 7 needs restocking", Body: "Only 12 units of item 40-118 are left.",
		}},
		{9 * time.Minute, commented("Erin", "I would print this one and hang it over my desk.")},
		{8 * time.Minute, commented("Carol", "The gulls make it.")},
		{6 * time.Minute, commented("Dave", "Where was this taken? The light on the water is wonderful.")},
	}
}

// by returns the extras of a notice about what somebody did.
func by(name string) notifier.Extras {
	return notifier.Extras{Actor: &notifier.RowActor{ID: strings.ToLower(name), Name: name}}
}

// commented returns a comment on Bob's photo. All comments share a row until he reads it.
func commented(name, text string) notifier.Draft {
	extras := by(name)
	extras.More = &notifier.More{One: "{actor} and {others} other commented on your photo", Other: "{actor} and {others} others commented on your photo"}
	return notifier.Draft{
		Target: notifier.Target{Users: []string{"bob"}}, Type: "comment", Subject: "photo_id:1",
		Title: name + " commented on your photo", Body: text, Extras: extras,
	}
}

// announcements returns the announcements of a fresh demonstration, oldest first. They are for all
// users, except one that is only for customers. The last one has not opened yet.
func announcements(cfg *config.Config, now time.Time) []Notice {
	const day = 24 * time.Hour
	everybody := notifier.Target{Audiences: cfg.AudienceNumbers()}
	customers := everybody
	if a, err := cfg.AudienceOf("customer"); err == nil {
		customers = notifier.Target{Audiences: []notifier.Audience{a}}
	}
	date := func(days int) string { return now.AddDate(0, 0, days).Format("2 January") }
	// The warehouse opens again at the beginning of a day, and then the announcement ends.
	opens := now.AddDate(0, 0, 30)
	opens = time.Date(opens.Year(), opens.Month(), opens.Day(), 0, 0, 0, 0, opens.Location())
	return []Notice{
		{5 * day, notifier.Draft{
			Target: everybody, Title: "Photos can be three times as large",
			Body:   "Up to **48 megapixels** from now on, and the album shows them in full.",
			Window: notifier.Window{EndsAt: now.Add(20 * day), LateJoiners: true},
		}},
		{26 * time.Hour, notifier.Draft{
			Target: customers, Title: "Returns are free until " + date(40),
			Body: "What you order from today on can come back free of charge:\n\n" +
				"1. Choose *Return* beside the order.\n2. Print the label, or show its code at the counter.\n3. The refund takes **three working days**.",
			Window: notifier.Window{EndsAt: now.Add(40 * day)},
		}},
		{2 * time.Hour, notifier.Draft{
			Target: everybody, Title: "The warehouse is closed on " + date(29), Link: "/settings",
			Body: "We are closed on **" + date(29) + "** and open again on " + date(30) + ".\n\n" +
				"- Orders until " + date(27) + ", 18:00, still arrive in time.\n- The hotline is there every day, `08:00–20:00`.\n\n" +
				"[Settings](" + cfg.Path() + "/settings) is where you choose what reaches you meanwhile.",
			Window: notifier.Window{EndsAt: opens, Pinned: true, LateJoiners: true},
		}},
		{0, notifier.Draft{
			Target: everybody, Title: "Stocktaking: please count your aisle",
			Body:   "The lists hang at the entrance.",
			Window: notifier.Window{StartsAt: now.Add(3 * day), EndsAt: now.Add(5 * day)},
		}},
	}
}
