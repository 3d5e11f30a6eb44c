package main

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// demoTypes have names, and are open: users find them under Settings.
func demoTypes() []notifier.NoticeType {
	return []notifier.NoticeType{
		{Slug: "report", Open: true, Names: map[string]string{"en": "Weekly reports", "ja": "週報", "zh-Hans": "周报"}},
		{Slug: "shift", Open: true, Names: map[string]string{"en": "Shifts", "ja": "シフト", "zh-Hans": "排班"}},
	}
}

// demoSubscriptions is who is told of what is sent to a topic.
func demoSubscriptions() []notifier.Subscription {
	return []notifier.Subscription{
		{Topic: notifier.Topic{Type: "shift"}, Subscriber: notifier.Subscriber{Role: "picker"}},
		{Topic: notifier.Topic{Type: "shift", Scope: "harbour"}, Subscriber: notifier.Subscriber{User: "bob"}},
		{Topic: notifier.Topic{Type: "report"}, Subscriber: notifier.Subscriber{User: "alice"}},
		{Topic: notifier.Topic{Type: "report"}, Subscriber: notifier.Subscriber{User: "bob"}},
	}
}

// addDemoTopics is for a demonstration whose users are new.
func addDemoTopics(ctx context.Context, db *store.Store) error {
	for _, t := range demoTypes() {
		if err := db.SaveType(ctx, t); err != nil {
			return err
		}
	}
	for _, s := range demoSubscriptions() {
		if _, _, err := db.Subscribe(ctx, s); err != nil {
			return fmt.Errorf("subscribe to %s: %w", s.Type, err)
		}
	}
	return nil
}
