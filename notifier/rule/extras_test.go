package rule_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

const extrasOfRule = `
actor = {id = "{{.worker}}", name = "W {{.worker}}", image = "https://cdn.example.com/{{.worker}}.png"}
image = {url = "{{.plan}}", alt = "The plan of {{.place}}"}
actions = [{label = "Count", link = "/locations/{{path .place}}", style = "primary"}, {label = "{{.also}}", link = "/also"}]
data = ["place", "units", "big", "none"]
every`

// checkedExtras returns the plan of a rule whose row has more columns.
func checkedExtras(t *testing.T, plan, also, extras string) (rule.Plan, error) {
	t.Helper()
	query := "SELECT 'A1' AS place, 7 AS warehouse, -3 AS units, 'u7' AS worker, '" + plan + "' AS plan, '" + also + "' AS also, 9007199254740993 AS big, NULL AS none"
	return checked(t, query, "every", extras)
}

func TestARuleRendersActorPictureButtonsAndData(t *testing.T) {
	t.Parallel()
	plan, err := checkedExtras(t, "https://cdn.example.com/p.png", strings.Repeat("Much ", 9), extrasOfRule)
	if err != nil {
		t.Fatal(err)
	}
	want := notifier.Extras{
		Actor: &notifier.RowActor{ID: "u7", Name: "W u7", Image: "https://cdn.example.com/u7.png"},
		Image: &notifier.Image{URL: "https://cdn.example.com/p.png", Alt: "The plan of A1"},
		Actions: []notifier.Action{
			{Label: "Count", Link: "/locations/A1", Style: "primary"}, {Label: "Much Much Much Much Muc…", Link: "/also"},
		},
		Data: []byte(`{"big":9007199254740993,"none":"","place":"A1","units":-3}`),
	}
	if diff := cmp.Diff(want, plan.Findings[0].Draft.Extras); diff != "" {
		t.Error(diff)
	}
	plan, err = checkedExtras(t, "", "", extrasOfRule)
	if err != nil {
		t.Fatal(err)
	}
	want.Image, want.Actions = nil, want.Actions[:1]
	if diff := cmp.Diff(want, plan.Findings[0].Draft.Extras); diff != "" {
		t.Errorf("of empty columns: %s", diff)
	}
}

func TestFaultsOfExtrasNameTheirColumnOrField(t *testing.T) {
	t.Parallel()
	for extras, want := range map[string]string{
		`data = ["depot"]`: `data uses the column "depot"; the query returns place, warehouse, units, worker, plan, also, big, none`,
		`image = {url = "https://cdn.example.com/{{.depot}}", alt = "a"}`:     `image.url uses the column "depot"`,
		`actions = [{label = "a", link = "/{{.depot}}"}]`:                     `actions[0].link uses the column "depot"`,
		`actor = {name = "{{.depot}}"}`:                                       `actor.name uses the column "depot"`,
		`image = {url = "https://evil.example.com/a.png", alt = "a"}`:         `image.url`,
		`actions = [{label = "a", link = "javascript:alert(1)"}]`:             `actions[0].link`,
		`actions = [{label = "a", link = "/a"}, {label = "b", link = "//b"}]`: `actions[1].link`,
	} {
		if _, err := checkedExtras(t, "", "", extras+"\nevery"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", extras, err, want)
		}
	}
}

func TestAFindingIsSentAgainWhenAButtonOrItsDataChange(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	r := newRig(t, b, swap(negative(`data = ["units"]`, `actions = [{label = "Count", link = "/{{.units}}"}]`), "{{.place}} is at {{.units}}", "Below zero"))
	b.do(t, `INSERT INTO stock (place, warehouse, units) VALUES ('A1', '7', -3)`)
	change := func(want rule.Change) {
		t.Helper()
		plan, err := r.Check(t.Context(), "negative-stock")
		if err != nil || len(plan.Findings) != 1 || plan.Findings[0].Change != want {
			t.Fatalf("%+v, %v; want %s", plan, err, want)
		}
	}
	change(rule.ChangeNew)
	r.perform(t, r.Runner)
	change(rule.ChangeNone)
	b.do(t, `UPDATE stock SET units = -4`)
	change(rule.ChangeOther)
}
