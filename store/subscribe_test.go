package store_test

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// byUser and byRole return a subscription of a user or role to a type and scope.
func byUser(typ, scope, name string) notifier.Subscription {
	return notifier.Subscription{Topic: notifier.Topic{Type: typ, Scope: scope}, Subscriber: notifier.Subscriber{User: name}}
}

func byRole(typ, scope, name string) notifier.Subscription {
	return notifier.Subscription{Topic: notifier.Topic{Type: typ, Scope: scope}, Subscriber: notifier.Subscriber{Role: name}}
}

// subscribe adds subscriptions. It fails the test if one of them exists.
func subscribe(t testing.TB, s *store.Store, all ...notifier.Subscription) {
	t.Helper()
	for _, sub := range all {
		if _, added, err := s.Subscribe(t.Context(), notifier.Actor{}, sub); err != nil || !added {
			t.Fatalf("subscribe %+v: added %v, %v", sub, added, err)
		}
	}
}

// invalid checks that err rejects a single field with this code and these params.
func invalid(t *testing.T, err error, field, code string, params map[string]any) {
	t.Helper()
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		t.Errorf("error = %v; want %s: %s", err, field, code)
		return
	}
	if diff := cmp.Diff([]notifier.FieldError{{Field: field, Code: code, Params: params}}, bad.Fields); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestRevisionRisesOnlyWithRealChanges(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "picker")
		now := must(s.SubscriptionRevision(t.Context()))(t)
		for _, step := range []struct {
			what    string
			do      func() (int64, bool, error)
			changed bool
		}{
			{"a user subscribes", func() (int64, bool, error) {
				return s.Subscribe(t.Context(), notifier.Actor{}, byUser("stock", "119240", "alice"))
			}, true},
			{"again", func() (int64, bool, error) {
				return s.Subscribe(t.Context(), notifier.Actor{}, byUser("stock", "119240", "alice"))
			}, false},
			{"a role too", func() (int64, bool, error) {
				return s.Subscribe(t.Context(), notifier.Actor{}, byRole("stock", "119240", "picker"))
			}, true},
			{"again", func() (int64, bool, error) {
				return s.Subscribe(t.Context(), notifier.Actor{}, byRole("stock", "119240", "picker"))
			}, false},
			{"another scope", func() (int64, bool, error) {
				return s.Subscribe(t.Context(), notifier.Actor{}, byUser("stock", "", "alice"))
			}, true},
			{"an unknown user unsubscribes", func() (int64, bool, error) {
				return s.Unsubscribe(t.Context(), notifier.Actor{}, byUser("stock", "", "bob"))
			}, false},
			{"the user unsubscribes", func() (int64, bool, error) {
				return s.Unsubscribe(t.Context(), notifier.Actor{}, byUser("stock", "119240", "alice"))
			}, true},
			{"again", func() (int64, bool, error) {
				return s.Unsubscribe(t.Context(), notifier.Actor{}, byUser("stock", "119240", "alice"))
			}, false},
			{"the role unsubscribes", func() (int64, bool, error) {
				return s.Unsubscribe(t.Context(), notifier.Actor{}, byRole("stock", "119240", "picker"))
			}, true},
			{"no such role", func() (int64, bool, error) {
				return s.Unsubscribe(t.Context(), notifier.Actor{}, byRole("stock", "119240", "nobody"))
			}, false},
		} {
			if step.changed {
				now++
			}
			revision, changed, err := step.do()
			if stored := must(s.SubscriptionRevision(t.Context()))(t); err != nil || changed != step.changed || revision != now || stored != now {
				t.Fatalf("%s: revision %d, changed %v, %v; stored is %d; want %d, %v", step.what, revision, changed, err, stored, now, step.changed)
			}
		}
		if own := must(s.Subscriptions(t.Context(), notifier.SubscriptionQuery{User: "alice"}))(t); len(own) != 1 {
			t.Errorf("she has %d own subscriptions; want 1", len(own))
		}
	})
}

func TestSubscribeRequiresASubscriberAndCreatesTheType(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "picker")
		_, _, err := s.Subscribe(t.Context(), notifier.Actor{}, byUser("stock", "1", "bob"))
		invalid(t, err, "user", notifier.CodeUnknownUser, map[string]any{"Name": "bob"})
		_, _, err = s.Subscribe(t.Context(), notifier.Actor{}, byRole("stock", "1", "alice"))
		invalid(t, err, "role", notifier.CodeUnknownRole, map[string]any{"Name": "alice"})
		_, _, err = s.Subscribe(t.Context(), notifier.Actor{}, byUser("Stock", "1", "alice"))
		invalid(t, err, "type", notifier.CodeBadType, nil)
		_, _, err = s.Unsubscribe(t.Context(), notifier.Actor{}, byUser("stock", "a b", "alice"))
		invalid(t, err, "scope", notifier.CodeBadScope, nil)
		_, _, err = s.Subscribe(t.Context(), notifier.Actor{}, notifier.Subscription{
			Topic: notifier.Topic{Type: "stock"}, Subscriber: notifier.Subscriber{User: "alice", Role: "picker"},
		})

		invalid(t, err, "user", notifier.CodeOneSubscriber, nil)
		for _, name := range []string{"a\x00b", "\xff", strings.Repeat("x", 201)} {
			if _, _, err := s.Subscribe(t.Context(), notifier.Actor{}, byUser("stock", "1", name)); !errors.As(err, new(*notifier.InvalidError)) {
				t.Errorf("%q subscribes: %v", name, err)
			}
		}
		if types := must(s.Types(t.Context()))(t); len(types) > 0 {
			t.Errorf("rejected subscriptions created the types %v", types)
		}
		subscribe(t, s, byUser("stock", "1", "alice"))
		if types := must(s.Types(t.Context()))(t); len(types) != 1 || types[0].Slug != "stock" {
			t.Errorf("types are %v; want only the one with a subscription", types)
		}
	})
}

func TestConcurrentSubscriptionsAreEachCountedOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		addUser(t, stores[0], "alice", "picker")
		var wg sync.WaitGroup
		var changes atomic.Int64
		for i := range 8 {
			wg.Go(func() {
				for j := range 10 {
					for _, do := range []func() (int64, bool, error){
						func() (int64, bool, error) {
							return stores[i%2].Subscribe(t.Context(), notifier.Actor{}, byUser("stock", strconv.Itoa(j%3), "alice"))
						},
						func() (int64, bool, error) {
							return stores[i%2].Unsubscribe(t.Context(), notifier.Actor{}, byUser("stock", strconv.Itoa((i+j)%3), "alice"))
						},
					} {
						_, changed, err := do()
						if err != nil {
							t.Error(err)
						}
						if changed {
							changes.Add(1)
						}
					}
				}
			})
		}
		wg.Wait()
		if revision := must(stores[0].SubscriptionRevision(t.Context()))(t); revision != changes.Load() {
			t.Errorf("the revision is %d after %d changes", revision, changes.Load())
		}
	})
}

func TestNumberOfSubscriptionsIsLimited(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		addUser(t, stores[0], "alice", "picker")
		var wg sync.WaitGroup
		var refused atomic.Int64
		for i := range 12 {
			wg.Go(func() {
				_, added, err := stores[i%2].SubscribeWithin(t.Context(), notifier.Actor{}, byUser("stock", strconv.Itoa(i), "alice"), 5)
				var bad *notifier.InvalidError
				if errors.As(err, &bad) && bad.Fields[0].Code == notifier.CodeTooManySubs && bad.Fields[0].Params["Max"] == 5 && !added {
					refused.Add(1)
				} else if err != nil || !added {
					t.Errorf("added %v, %v", added, err)
				}
			})
		}
		wg.Wait()
		has, revision := must(stores[0].Subscriptions(t.Context(), notifier.SubscriptionQuery{}))(t), must(stores[0].SubscriptionRevision(t.Context()))(t)
		if len(has) != 5 || revision != 5 || refused.Load() != 7 {
			t.Errorf("%d subscriptions are stored, %d were rejected, the revision is %d", len(has), refused.Load(), revision)
		}
		_, added, err := stores[0].SubscribeWithin(t.Context(), notifier.Actor{}, has[0], 5) // exists already
		if err != nil || added {
			t.Errorf("an existing subscription: added %v, %v", added, err)
		}
	})
}

func TestAConcurrentlyDeletedSubscriberIsUnknown(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		for i := range 10 {
			name := strconv.Itoa(i)
			addUser(t, stores[0], name, "role of "+name)
			var wg sync.WaitGroup
			for _, sub := range []notifier.Subscription{byUser("stock", "1", name), byRole("stock", "1", "role of "+name)} {
				wg.Go(func() {
					if _, _, err := stores[0].Subscribe(t.Context(), notifier.Actor{}, sub); err != nil && !errors.As(err, new(*notifier.InvalidError)) {
						t.Errorf("subscribe: %v", err)
					}
				})
			}
			wg.Go(func() {
				if _, err := stores[1].DeleteUser(t.Context(), name); err != nil {
					t.Errorf("delete the user: %v", err)
				}
			})
			wg.Go(func() {
				if err := stores[1].DeleteRole(t.Context(), "role of "+name); err != nil {
					t.Errorf("delete the role: %v", err)
				}
			})
			wg.Wait()
		}
		if left := must(stores[0].Subscriptions(t.Context(), notifier.SubscriptionQuery{}))(t); len(left) > 0 {
			t.Errorf("all subscribers are deleted, but these subscriptions are left: %v", left)
		}
	})
}
