package store_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func topic(typ, scope string) notifier.Topic { return notifier.Topic{Type: typ, Scope: scope} }

// aWarehouse adds subscribers of four topics and returns them, ordered by topic.
func aWarehouse(t *testing.T, s *store.Store) []notifier.TopicSubscribers {
	t.Helper()
	addUser(t, s, "alice", "picker", "loader")
	addUser(t, s, "bob", "packer")
	addUser(t, s, "carol")
	subscribe(t, s,
		byUser("stock", "119240", "carol"), byRole("stock", "119240", "picker"), byUser("stock", "119240", "alice"), byRole("stock", "119240", "loader"),
		byRole("stock", "Z", "packer"), byUser("stock", "", "bob"), byUser("a-stock", "119240", "bob"))
	return []notifier.TopicSubscribers{
		{Topic: topic("a-stock", "119240"), Users: []int64{2}},
		{Topic: topic("stock", ""), Users: []int64{2}},
		{Topic: topic("stock", "119240"), Users: []int64{1, 3}, Roles: []string{"loader", "picker"}},
		{Topic: topic("stock", "Z"), Roles: []string{"packer"}},
	}
}

func TestSubscribersAreReturnedInTheOrderOfTheTopics(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		all := aWarehouse(t, s)
		store.Exec(t, s, `DROP INDEX subscriptions_user`) // the order must not depend on this index
		nobody := func(t notifier.Topic) notifier.TopicSubscribers { return notifier.TopicSubscribers{Topic: t} }
		want := []notifier.TopicSubscribers{
			nobody(topic("stock", "z")), all[2], all[0], nobody(topic("Stock", "119240")), all[3], all[2], all[1], nobody(topic("", "")),
			nobody(topic("stock", "\x00\xff'\"")),
		}
		asked := make([]notifier.Topic, len(want))
		for i := range want {
			asked[i] = want[i].Topic
		}
		if diff := cmp.Diff(want, must(s.SubscribersOf(t.Context(), asked))(t)); diff != "" {
			t.Errorf("subscribers (-want +got):\n%s", diff)
		}
		if none := must(s.SubscribersOf(t.Context(), nil))(t); len(none) > 0 {
			t.Errorf("for no topics: %v", none)
		}
	})
}

func TestMoreTopicsThanOneBatchAreLookedUp(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice")
		asked := make([]notifier.Topic, 2500)
		for i := range asked {
			asked[i] = topic("stock", strconv.Itoa(i))
		}
		subscribe(t, s, byUser("stock", "0", "alice"), byUser("stock", "999", "alice"), byUser("stock", "1000", "alice"), byUser("stock", "2499", "alice"))
		got := must(s.SubscribersOf(t.Context(), asked))(t)
		for i, has := range got {
			if has.Topic != asked[i] || (len(has.Users) == 1) != (i == 0 || i == 999 || i == 1000 || i == 2499) {
				t.Errorf("topic %d is returned as %+v", i, has)
			}
		}
		if len(got) != len(asked) {
			t.Errorf("%d topics are returned; want %d", len(got), len(asked))
		}
	})
}

func TestAllSubscribersArePagedByTopic(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		if none := must(s.AllSubscribers(t.Context(), notifier.Topic{}, 10))(t); len(none) > 0 {
			t.Errorf("an empty store returns %v", none)
		}
		want := aWarehouse(t, s)
		for limit := 1; limit <= 5; limit++ {
			var got []notifier.TopicSubscribers
			for after := (notifier.Topic{}); ; {
				page := must(s.AllSubscribers(t.Context(), after, limit))(t)
				if len(page) == 0 {
					break
				}
				if len(page) > limit {
					t.Fatalf("a page of %d has %d topics", limit, len(page))
				}
				got, after = append(got, page...), page[len(page)-1].Topic
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d at a time (-want +got):\n%s", limit, diff)
			}
		}
		if none := must(s.AllSubscribers(t.Context(), topic("\xff", "\x00"), 10))(t); len(none) > 0 {
			t.Errorf("after the last topic: %v", none)
		}
	})
}

func TestDeletedUsersAndRolesLoseTheirSubscriptions(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		want := aWarehouse(t, s)
		before := must(s.SubscriptionRevision(t.Context()))(t)
		raised := func(what string, by int64) {
			t.Helper()
			now := must(s.SubscriptionRevision(t.Context()))(t)
			if now != before+by {
				t.Errorf("%s: the revision went from %d to %d; want it to rise by %d", what, before, now, by)
			}
			before = now
		}
		addUser(t, s, "dave", "idle")
		for _, name := range []string{"dave", "bob"} {
			if _, err := s.DeleteUser(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		raised("one with subscriptions left and one without", 1)
		for _, role := range []string{"idle", "picker"} {
			if err := s.DeleteRole(t.Context(), role); err != nil {
				t.Errorf("delete role %s: %v", role, err)
			}
		}
		raised("a role with subscriptions left and one without", 1)
		want[2].Roles = []string{"loader"}
		if diff := cmp.Diff(want[2:], must(s.AllSubscribers(t.Context(), notifier.Topic{}, 10))(t)); diff != "" {
			t.Errorf("remaining subscribers (-want +got):\n%s", diff)
		}
	})
}

func TestFollowedTopicsAreFoundByTypeAndScope(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "Picker")
		subscribe(t, s, byUser("stock", "119240", "alice"), byRole("stock", "119240", "Picker"), byUser("stock", "", "alice"), byUser("stock", "11", "alice"), byUser("like", "119241", "alice"), byRole("news", "", "Picker"))
		both := []string{"stock", "like", "unknown"}
		for what, c := range map[string]struct {
			types  []string
			prefix string
			limit  int
			want   []notifier.Topic
		}{
			"of types":          {both, "", 9, []notifier.Topic{{Type: "like", Scope: "119241"}, {Type: "stock"}, {Type: "stock", Scope: "11"}, {Type: "stock", Scope: "119240"}}},
			"up to a limit":     {both, "", 2, []notifier.Topic{{Type: "like", Scope: "119241"}, {Type: "stock"}}},
			"of a scope":        {both, "1192", 9, []notifier.Topic{{Type: "like", Scope: "119241"}, {Type: "stock", Scope: "119240"}}},
			"of another scope":  {both, "7", 9, nil},
			"of an invalid one": {both, "\xff\x00", 9, nil},
			"of no type":        {nil, "", 9, nil},
		} {
			if diff := cmp.Diff(c.want, must(s.FollowedTopics(t.Context(), c.types, c.prefix, c.limit))(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
	})
}
