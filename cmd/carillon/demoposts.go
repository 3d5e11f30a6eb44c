package main

import (
	"maps"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// demoPosts is what a fresh demonstration announces, oldest first: to everybody,
// but for the one that only customers see. The last is yet to open.
func demoPosts(cfg config) []demoNotice {
	const day = 24 * time.Hour
	everybody := notifier.Target{Audiences: slices.Sorted(maps.Keys(cfg.Audiences))}
	customers := everybody
	if a, err := audienceOf("customer", cfg); err == nil {
		customers = notifier.Target{Audiences: []notifier.Audience{a}}
	}
	now := time.Now()
	return []demoNotice{
		{5 * day, notifier.Draft{
			Target: everybody, Title: "Photos can be three times as large", Link: "/inbox",
			Body:   "Up to **48 megapixels** from now on, and the album shows them in full.",
			Window: notifier.Window{EndsAt: now.Add(20 * day), LateJoiners: true},
		}},
		{26 * time.Hour, notifier.Draft{
			Target: customers, Title: "Returns are free until the end of January",
			Body: "What you order from today on can come back free of charge:\n\n" +
				"1. Choose *Return* beside the order.\n2. Print the label, or show its code at the counter.\n3. The refund takes **three working days**.",
			Window: notifier.Window{EndsAt: now.Add(40 * day)},
		}},
		{2 * time.Hour, notifier.Draft{
			Target: everybody, Title: "The warehouse is closed on 24 December", Link: "/inbox",
			Body: "We are closed on **24 December** and open again on the 27th.\n\n" +
				"- Orders until the 22nd, 18:00, still arrive in time.\n- The hotline is there every day, `08:00–20:00`.\n\n" +
				"Have a quiet holiday.",
			Window: notifier.Window{EndsAt: now.Add(30 * day), Pinned: true, LateJoiners: true},
		}},
		{0, notifier.Draft{
			Target: everybody, Title: "Stocktaking: please count your aisle",
			Body:   "The lists hang at the entrance.",
			Window: notifier.Window{StartsAt: now.Add(3 * day), EndsAt: now.Add(5 * day)},
		}},
	}
}
