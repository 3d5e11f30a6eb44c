package rule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

func TestTheFindingsOfARuleAreTasksUntilTheyAreGone(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`take = "30m"`))
	open := func(want ...string) {
		t.Helper()
		tasks, err := r.store.Tasks(t.Context(), notifier.TaskQuery{Open: true, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, task := range tasks {
			titles = append(titles, task.Title)
			if task.Taken.Rule.Within != 30*time.Minute || task.Extras.Take.Finish != notifier.DoneRequired {
				t.Errorf("%s is %+v", task.Title, task.Taken)
			}
		}
		if diff := cmp.Diff(want, titles); diff != "" {
			t.Errorf("open tasks: %s", diff)
		}
	}
	b.put(t, "A1", 1, -3)
	b.put(t, "A2", 1, -1)
	wantRun(t, "the first run", r.perform(t, r.Runner), 2, 2, 0)
	open("A1 is at -3", "A2 is at -1")
	wantRun(t, "no change", r.perform(t, r.Runner), 2, 0, 0)
	b.put(t, "A1", 1, -4)
	wantRun(t, "one changed", r.perform(t, r.Runner), 2, 1, 0)
	open("A2 is at -1", "A1 is at -4")
	b.put(t, "A1", 1, 0)
	wantRun(t, "one gone", r.perform(t, r.Runner), 1, 0, 1)
	open("A2 is at -1")
}

func TestATimeInWhichNobodyCanTakeATaskIsAFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ settings, want string }{
		{`take = "soon"`, `line 10: rule "negative-stock": take: must be a duration in quotes`},
		{`take = 30`, `take: must be a duration in quotes`},
		{`take = "0s"`, `take: must be 1s or more`},
		{"expires_in = \"30m\"\ntake = \"30m\"", `line 11: rule "negative-stock": take: must be shorter than expires_in`},
		{"take = \"30m\"\nremind = \"1h\"", `line 11: rule "negative-stock": remind: cannot be combined with take`},
	} {
		if _, err := rule.Parse([]byte(negative(c.settings)), environment); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.settings, err, c.want)
		}
	}
}
