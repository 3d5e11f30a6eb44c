package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestLastRunOfEachRuleIsKept(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		stock := notifier.RuleRun{Rule: "stock", StartedAt: now, EndedAt: now.Add(time.Second), Findings: 7, Sent: 3, Withdrawn: 2}
		late := notifier.RuleRun{Rule: "Late orders", StartedAt: now, Error: "no such column: \"a\"", Failures: 4}
		for _, r := range []notifier.RuleRun{{Rule: "stock", StartedAt: now.Add(time.Hour), Failures: 9, Error: "away"}, late, stock} {
			if err := s.StartRun(t.Context(), notifier.Actor{}, r); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]notifier.RuleRun{late, stock}, must(s.Runs(t.Context()))(t)); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
		late.Error = "a\x00b\xff" // a driver's error may contain any bytes
		if err := s.SaveRun(t.Context(), late); err != nil {
			t.Error(err)
		}
		if got := must(s.Runs(t.Context()))(t)[0].Error; got != "a\ufffdb\ufffd" {
			t.Errorf("the error is %q", got)
		}
	})
}

func TestARunThatIsNotTheLastOneOfItsRuleSavesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		lost := notifier.RuleRun{Rule: "stock", StartedAt: now, Sent: 1}
		last := notifier.RuleRun{Rule: "stock", StartedAt: now.Add(time.Millisecond)}
		for _, run := range []notifier.RuleRun{lost, last} {
			wantIs(t, s.StartRun(t.Context(), notifier.Actor{}, run), nil)
		}
		wantIs(t, s.SaveFindings(t.Context(), last, []notifier.Finding{finding("b", 2, now, now)}, nil), nil)
		wantIs(t, s.SaveFindings(t.Context(), lost, []notifier.Finding{finding("a", 1, now, now)}, []string{"b"}), notifier.ErrConflict)
		wantFindings(t, s, "stock", finding("b", 2, now, now))
		lost.EndedAt = now.Add(time.Second)
		wantIs(t, s.SaveRun(t.Context(), lost), notifier.ErrConflict)
		if diff := cmp.Diff([]notifier.RuleRun{last}, must(s.Runs(t.Context()))(t)); diff != "" {
			t.Errorf("runs (-want +got):\n%s", diff)
		}
	})
}

// finding returns a finding of rule "stock" about a subject.
func finding(subject string, notice int64, told, seen time.Time) notifier.Finding {
	return notifier.Finding{Rule: "stock", Subject: subject, Digest: []byte("of " + subject), NoticeID: notice, ToldAt: told, SeenAt: seen}
}

func wantFindings(t *testing.T, s *store.Store, rule string, want ...notifier.Finding) {
	t.Helper()
	bySubject := map[string]notifier.Finding{}
	for _, f := range want {
		bySubject[f.Subject] = f
	}
	if diff := cmp.Diff(bySubject, must(s.Findings(t.Context(), rule))(t), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("findings of %s (-want +got):\n%s", rule, diff)
	}
}

func TestFindingsAreKeptUntilTheyAreGone(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		run := notifier.RuleRun{Rule: "stock", StartedAt: now}
		wantIs(t, s.StartRun(t.Context(), notifier.Actor{}, run), nil)
		save := func(told []notifier.Finding, gone ...string) {
			t.Helper()
			if err := s.SaveFindings(t.Context(), run, told, gone); err != nil {
				t.Fatal(err)
			}
		}
		wantFindings(t, s, "stock")
		save(nil)
		a, b, c := finding("location:A", 1, now, now), finding("location:B", 0, now, now), finding("location:C", 3, now, now)
		save([]notifier.Finding{a, b, c}, "location:D")
		wantFindings(t, s, "stock", a, b, c)
		again := finding("location:A", 7, now.Add(time.Hour), now.Add(2*time.Hour))
		again.Digest = nil
		save([]notifier.Finding{again}, "location:C", "location:D", "a\x00\xff")
		wantFindings(t, s, "stock", again, b)
		save([]notifier.Finding{c}, "location:C") // gone and back again
		save(nil, "location:A", "location:B")
		wantFindings(t, s, "stock", c)
		wantFindings(t, s, "other")
	})
}

func TestForgetRulesDeletesAllOtherRules(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		fill := func() {
			for _, rule := range []string{"stock", "orders", "it's"} {
				if err := s.StartRun(t.Context(), notifier.Actor{}, notifier.RuleRun{Rule: rule, StartedAt: now}); err != nil {
					t.Fatal(err)
				}
				if err := s.SaveFindings(t.Context(), notifier.RuleRun{Rule: rule, StartedAt: now}, []notifier.Finding{finding("x", 1, now, now)}, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		left := func(but []string, want ...string) {
			t.Helper()
			fill()
			if err := s.ForgetRules(t.Context(), but); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range must(s.Runs(t.Context()))(t) {
				got = append(got, r.Rule)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("all but %q: rules with runs (-want +got):\n%s", but, diff)
			}
			for _, rule := range []string{"stock", "orders", "it's"} {
				kept := len(must(s.Findings(t.Context(), rule))(t)) > 0
				if kept != slices.Contains(want, rule) {
					t.Errorf("all but %q: findings of %s are left: %v", but, rule, kept)
				}
			}
		}
		left([]string{"it's", "stock", "new", "a\x00"}, "it's", "stock")
		left([]string{"new"})
		left(nil)
	})
}
