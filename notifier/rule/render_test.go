package rule_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/rule"
)

// checked returns the plan of a rule with this query and these replaced settings.
func checked(t *testing.T, query string, replace ...string) (rule.Plan, error) {
	t.Helper()
	b := newBusiness(t, "sqlite")
	text := swap(negative(), "SELECT place, warehouse, units FROM stock WHERE units < 0 ORDER BY place", query)
	for i := 0; i < len(replace); i += 2 {
		text = swap(text, replace[i], replace[i+1])
	}
	r := rule.New(rule.Config{Rules: parse(t, b, text), Limits: notifier.Limits{LinkHosts: []string{"shop.example.com"}, ImageHosts: []string{"cdn.example.com"}}})
	return r.Check(t.Context(), "negative-stock")
}

const oneRow = `SELECT 'A1' AS place, 7 AS warehouse, -3 AS units`

func TestAMissingColumnIsAnErrorEvenWithoutRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, want string }{
		{`scope_column = "warehouse"`, `scope_column = "depot"`, `scope_column uses the column "depot"; the query returns place, warehouse, units`},
		{`{{.place}} is at {{.units}}`, `{{.place}} {{if .depot}}x{{end}}`, `title uses the column "depot"; the query returns place, warehouse, units`},
		{`place:{{.place}}`, `{{printf \"%v\" .depot | lower}}`, `subject uses the column "depot"; the query returns place, warehouse, units`},
		{`{{.place}} is at {{.units}}`, `{{if true}}{{else}}{{(index . \"place\")}}{{len (lower .depot)}}{{end}}`, `title uses the column "depot"; the query returns place, warehouse, units`},
	} {
		_, err := checked(t, oneRow+` WHERE 1 = 0`, c.from, c.to)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.to, err)
		}
	}
}

func TestTemplatesRenderColumns(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		`{{.place}}`:                     "A1",
		`{{lower .place}} {{upper "x"}}`: "a1 X",
		`{{default "none" .none}} {{default "none" .place}}`:        "none A1",
		`{{path .odd}} {{urlquery .odd}}`:                           "a%2Fb%20&c a%2Fb+%26c",
		`{{if lt .units -2}}far{{else}}near{{end}} below`:           "far below",
		`{{printf "%.2f" .price}} {{.price}}`:                       "1.50 1.5",
		`{{date "15:04" (in "Asia/Tokyo" .at)}} {{date "x" .none}}`: "21:30 ",
		`{{index . "unit price"}}{{/* as it is */}}`:                "9",
		" \n {{.place}}\n is\t{{trim .wide}}  \n":                   "A1 is wide",
		`{{range $k, $v := .}}{{$k}} {{end}}`:                       "at none odd place price unit price units warehouse wide",
		`{{with .place}}{{.}}{{end}}`:                               "A1",
	} {
		query := `SELECT 'A1' AS place, 7 AS warehouse, -3 AS units, NULL AS none, 'a/b &c' AS odd, 1.5 AS price, 9 AS [unit price], '  wide ' AS wide, at
			FROM times`
		b := newBusiness(t, "sqlite")
		b.do(t, `CREATE TABLE times (at TIMESTAMP)`, `INSERT INTO times VALUES ('2026-07-01 12:30:00')`)
		text := swap(swap(negative(), `"SELECT place, warehouse, units FROM stock WHERE units < 0 ORDER BY place"`, "'''"+query+"'''"),
			`"{{.place}} is at {{.units}}"`, "'''"+template+"'''")
		plan, err := rule.New(rule.Config{Rules: parse(t, b, text)}).Check(t.Context(), "negative-stock")
		if err != nil || len(plan.Findings) != 1 {
			t.Errorf("%s: %v", template, err)
			continue
		}
		if got := plan.Findings[0].Draft.Title; got != strings.TrimSpace(want) {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

func TestInvalidRowsAreExplained(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ what, query, from, to, want string }{
		{"no title", oneRow, `{{.place}} is at {{.units}}`, `{{if false}}x{{end}}`, "row 1 (place:A1): title is required"},
		{"no subject", oneRow, `place:{{.place}}`, ` {{if false}}x{{end}}`, "row 1 (): subject: empty"},
		{"reserved", oneRow, `place:{{.place}}`, `notice_id:{{.place}}`, "row 1 (notice_id:A1): subject is reserved: it must not contain :has_read: or begin with notice_id:"},
		{"twice", oneRow + ` UNION ALL ` + oneRow, `every`, `every`, "row 2 (place:A1): an earlier row has this subject"},
		{"scope", oneRow, `7 AS warehouse`, `'a b' AS warehouse`, "row 1 (place:A1): to is not a valid topic: its type or scope is malformed; scope must be a scope: [A-Za-z0-9_.-]{0,64}"},
		{"link", oneRow, `type =`, "link = \"https://elsewhere.example.com/\"\ntype =", "row 1 (place:A1): link points to a host that is not allowed: elsewhere.example.com"},
		{"loop", oneRow, `{{.place}} is at {{.units}}`, `{{range 1000000000}}{{.}}{{end}}`, "row 1 (place:A1): title: longer than 64 KB"},
		{"nested", oneRow, `{{.place}} is at {{.units}}`, `{{.place.x}}`, "row 1 (place:A1): title: <.place.x>: can't evaluate field x in type interface {}"},
		{
			"many", `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT i || ' ' AS place, 7 AS warehouse, 1 AS units FROM n`, `place:{{.place}}`, `place {{.place}}`,
			"row 1 (place 1): subject must consist of printable ASCII characters without spaces; row 2 (place 2): subject must consist of printable ASCII characters without spaces; row 3 (place 3): subject must consist of printable ASCII characters without spaces; and 6 more",
		},
	} {
		_, err := checked(t, c.query, c.from, c.to)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v\nwant %s", c.what, err, c.want)
		}
	}
}

func TestLongTextsAreShortened(t *testing.T) {
	t.Parallel()
	plan, err := checked(t, `SELECT 'A1' AS place, 7 AS warehouse, -3 AS units, REPLACE(HEX(ZEROBLOB(3000)), '00', 'né') AS long`,
		`{{.place}} is at {{.units}}"`, `{{.long}}"`+"\nbody = \"{{.long}}{{.long}}\"")
	if err != nil {
		t.Fatal(err)
	}
	d := plan.Findings[0].Draft
	for text, most := range map[string]int{d.Title: notifier.MaxTitle, d.Body: notifier.MaxBody} {
		if utf8.RuneCountInString(text) != most || !strings.HasSuffix(text, "…") {
			t.Errorf("%d characters, ending in %q; want %d", utf8.RuneCountInString(text), text[len(text)-8:], most)
		}
	}
}

func TestARoleOrUsersReplaceTheTopic(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]notifier.Target{
		`role = "picker"`:          {Role: "picker"},
		`users = ["alice", "bob"]`: {Users: []string{"alice", "bob"}},
		`remind = "1h"`:            {Topic: notifier.Topic{Type: "rep_notice", Scope: "7"}},
	} {
		plan, err := checked(t, oneRow, `every`, more+"\nevery")
		if err != nil || plan.Findings[0].Draft.Scope != "7" {
			t.Fatal(plan, err)
		}
		got := plan.Findings[0].Draft.Target
		if got.Role != want.Role || strings.Join(got.Users, " ") != strings.Join(want.Users, " ") || got.Topic != want.Topic {
			t.Errorf("%s: %+v", more, got)
		}
	}
}
