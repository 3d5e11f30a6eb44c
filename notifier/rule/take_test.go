package rule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/testkit"
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

func TestATaskOfARuleSaysToWhomElseItGoesAndWhetherItIsReportedAsDone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		take string
		want notifier.Take
	}{
		{`"30m"`, notifier.Take{Finish: notifier.DoneRequired, Rule: notifier.TakeRule{Within: 30 * time.Minute}}},
		{`{}`, notifier.Take{Finish: notifier.DoneRequired}},
		{`{done = "none"}`, notifier.Take{Finish: notifier.DoneNone}},
		{`{within = "1h", else = {role = "lead"}, done = "required"}`, notifier.Take{Finish: notifier.DoneRequired, Rule: notifier.TakeRule{Within: time.Hour, Else: notifier.Target{Role: "lead"}}}},
		{`{within = "1h", else = {roles = ["boss", "lead"]}}`, notifier.Take{Finish: notifier.DoneRequired, Rule: notifier.TakeRule{Within: time.Hour, Else: notifier.Target{Roles: []string{"boss", "lead"}}}}},
		{`{within = "1h", else = {users = ["ann"]}}`, notifier.Take{Finish: notifier.DoneRequired, Rule: notifier.TakeRule{Within: time.Hour, Else: notifier.Target{Users: []string{"ann"}}}}},
		{`{within = "1h", else = {topic = {type = "alarm", scope = "b3"}}}`, notifier.Take{Finish: notifier.DoneRequired, Rule: notifier.TakeRule{Within: time.Hour, Else: notifier.Target{Topic: notifier.Topic{Type: "alarm", Scope: "b3"}}}}},
	} {
		set, err := rule.Parse([]byte(negative("take = "+c.take)), environment)
		if err != nil {
			t.Errorf("%s: %v", c.take, err)
			continue
		}
		if got := set.Rules()[0]; !cmp.Equal(got.Take(), &c.want) || !got.Withdraw {
			t.Errorf("%s: %+v, withdrawn when it is gone: %v; want %+v", c.take, got.Take(), got.Withdraw, c.want)
		}
	}
}

// What the rules file says reaches the task that is stored: SQL knows to whom it goes, and that taking it is enough.
func TestATaskOfARuleThatNobodyTakesGoesToOthers(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, negative(`take = {within = "1s", else = {users = ["lea"]}, done = "none"}`))
	if _, err := r.store.CreateUser(t.Context(), notifier.NewUser{Name: "lea", Audience: 3}); err != nil {
		t.Fatal(err)
	}
	b.put(t, "A1", 1, -3)
	wantRun(t, "the first run", r.perform(t, r.Runner), 1, 1, 0)
	late := testkit.Until(t, "it is late", func() ([]notifier.Task, bool) {
		late, err := r.store.LateTasks(t.Context(), 9)
		return late, err == nil && len(late) == 1
	})
	if is := late[0].Taken; is.Rule.Within != time.Second || !cmp.Equal(is.Rule.Else, notifier.Target{Users: []string{"lea"}}) || is.Finish != notifier.DoneNone {
		t.Errorf("%+v", is)
	}
}

func TestATimeInWhichNobodyCanTakeATaskIsAFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ settings, want string }{
		{`take = "soon"`, `line 10: rule "negative-stock": take: must be a duration in quotes`},
		{`take = 30`, `take: must be a duration in quotes`},
		{`take = "0s"`, `take: must be 1s or more`},
		{"expires_in = \"30m\"\ntake = \"30m\"", `line 11: rule "negative-stock": take: must be shorter than expires_in`},
		{"take = \"30m\"\nremind = \"1h\"", `line 11: rule "negative-stock": remind: cannot be combined with take`},
		{`take = {within = "soon"}`, `line 10: rule "negative-stock": take.within: must be a duration in quotes`},
		{"expires_in = \"30m\"\ntake = {within = \"30m\"}", `line 11: rule "negative-stock": take.within: must be shorter than expires_in`},
		{"take = {within = \"30m\"}\nremind = \"1h\"", `line 11: rule "negative-stock": remind: cannot be combined with take`},
		{`take = {until = "30m"}`, `take.until: unknown setting`},
		{`take = {done = "maybe"}`, `take.done: must be "required" or "none"`},
		{`take = {done = true}`, `take.done: must be a text in quotes`},
		{`take = {else = {role = "lead"}}`, `take.within: missing: after which time does it go to else as well?`},
		{`take = {within = "30m", else = "lead"}`, `take.else: must be settings in braces`},
		{`take = {within = "30m", else = {}}`, `take.else: set one of role, roles, users and topic`},
		{`take = {within = "30m", else = {role = "lead", users = ["ann"]}}`, `take.else: set one of role, roles, users and topic`},
		{`take = {within = "30m", else = {role = "a\u0007"}}`, `take.else.role: not a valid role name`},
		{`take = {within = "30m", else = {roles = ["lead", "a\u0007"]}}`, `take.else.roles: "a\a" is not a valid role name`},
		{`take = {within = "30m", else = {users = ["a\u0007"]}}`, `take.else.users: "a\a" is not a valid user name`},
		{`take = {within = "30m", else = {audiences = ["user"]}}`, `take.else.audiences: unknown setting`},
		{`take = {within = "30m", else = {topic = {scope = "b3"}}}`, `take.else.topic.type: missing`},
		{`take = {within = "30m", else = {topic = {type = "Not this"}}}`, `take.else.topic.type: not a valid topic`},
	} {
		if _, err := rule.Parse([]byte(negative(c.settings)), environment); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.settings, err, c.want)
		}
	}
}
