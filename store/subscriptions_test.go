package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestSubscriptionsAreListedNewestFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "Picker")
		addUser(t, s, "100%_alice")
		all := []notifier.Subscription{
			byUser("stock", "119240", "alice"), byRole("stock", "119240", "Picker"), byUser("stock", "", "alice"),
			byUser("like", "119240", "100%_alice"), byRole("like", "", "Picker"),
		}
		subscribe(t, s, all...)
		for i := range all {
			all[i].ID, all[i].CreatedAt = int64(i)+1, db.clock.now()
		}
		for what, c := range map[string]struct {
			q    notifier.SubscriptionQuery
			want []int
		}{
			"all":                            {notifier.SubscriptionQuery{}, []int{4, 3, 2, 1, 0}},
			"a page":                         {notifier.SubscriptionQuery{Limit: 2}, []int{4, 3}},
			"the next":                       {notifier.SubscriptionQuery{Limit: 2, Before: 4}, []int{2, 1}},
			"of a type":                      {notifier.SubscriptionQuery{Type: "stock"}, []int{2, 1, 0}},
			"of a type, scope ignored":       {notifier.SubscriptionQuery{Type: "stock", Scope: "119240"}, []int{2, 1, 0}},
			"of a topic":                     {notifier.SubscriptionQuery{Type: "stock", Scope: "119240", ByScope: true}, []int{1, 0}},
			"of a topic, before":             {notifier.SubscriptionQuery{Type: "stock", Scope: "119240", ByScope: true, Before: 2}, []int{0}},
			"of a topic without a scope":     {notifier.SubscriptionQuery{Type: "stock", ByScope: true}, []int{2}},
			"of a scope without a type":      {notifier.SubscriptionQuery{Scope: "119240", ByScope: true}, []int{4, 3, 2, 1, 0}},
			"of a user":                      {notifier.SubscriptionQuery{User: "alice"}, []int{2, 0}},
			"of a user and type":             {notifier.SubscriptionQuery{User: "alice", Type: "like"}, nil},
			"of a role":                      {notifier.SubscriptionQuery{Role: "Picker"}, []int{4, 1}},
			"of an unknown user":             {notifier.SubscriptionQuery{User: "Picker"}, nil},
			"of an invalid name":             {notifier.SubscriptionQuery{User: "\xff\x00"}, nil},
			"of an invalid type":             {notifier.SubscriptionQuery{Type: "\xff\x00"}, nil},
			"with a part of a scope":         {notifier.SubscriptionQuery{Contains: "1924"}, []int{3, 1, 0}},
			"with a part of a name":          {notifier.SubscriptionQuery{Contains: "PICK"}, []int{4, 1}},
			"with a part of a type":          {notifier.SubscriptionQuery{Contains: "tocK", Limit: 2}, []int{2, 1}},
			"with wildcards taken literally": {notifier.SubscriptionQuery{Contains: "0%_A"}, []int{3}},
			"with an unknown part":           {notifier.SubscriptionQuery{Contains: "stock%"}, nil},
			"with a part and a type":         {notifier.SubscriptionQuery{Contains: "alice", Type: "stock"}, []int{2, 0}},
			"with invalid text":              {notifier.SubscriptionQuery{Contains: "\xff\x00"}, nil},
		} {
			var want []notifier.Subscription
			for _, i := range c.want {
				want = append(want, all[i])
			}
			if diff := cmp.Diff(want, must(s.Subscriptions(t.Context(), c.q))(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
	})
}
