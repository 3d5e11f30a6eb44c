package rule_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier/rule"
)

// environment looks up variables of sources with good and bad addresses.
func environment(name string) (string, bool) {
	v, ok := map[string]string{
		"CARILLON_RULE_SOURCE_BUSINESS": "sqlite:business.db",
		"CARILLON_RULE_SOURCE_BAD":      "oracle://root:hunter2@host/db",
		"CARILLON_RULE_SOURCE_PG":       "postgres://root:hunter2@host:port/db",
		"CARILLON_RULE_SOURCE_GONE":     "", "CARILLON_RULE_SOURCE_GONE_FILE": "/nowhere/at/all",
		"CARILLON_RULE_SOURCE_TWO": "sqlite:x", "CARILLON_RULE_SOURCE_TWO_FILE": "/x",
	}[name]
	return v, ok
}

func TestFaultsNameTheirRuleFieldAndLine(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/faults.toml")
	if err != nil {
		t.Fatal(err)
	}
	set, err := rule.Parse(text, environment)
	if err == nil || set == nil {
		t.Fatalf("set %v, error %v; want both", set, err)
	}
	want, err2 := os.ReadFile("testdata/faults.txt")
	if err2 != nil {
		t.Fatal(err2)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), err.Error()); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("a fault contains a password")
	}
	var sound []string
	for _, r := range set.Rules() {
		if r.Fault == "" {
			sound = append(sound, r.Name)
		}
	}
	if diff := cmp.Diff([]string{"sound", "sound-too"}, sound); diff != "" {
		t.Errorf("rules that can run: %s", diff)
	}
}

func TestInvalidTOMLGivesNoSet(t *testing.T) {
	t.Parallel()
	set, err := rule.Parse([]byte("[[rule]]\nname = \"a\"\nevery = 5m\n"), environment)
	var faults *rule.FaultsError
	if set != nil || !errors.As(err, &faults) || len(faults.Faults) != 1 || faults.Faults[0].Line != 3 {
		t.Errorf("set %v, error %v", set, err)
	}
}

func TestAFileWithoutRulesIsValid(t *testing.T) {
	t.Parallel()
	if set, err := rule.Parse([]byte("# none yet\n"), environment); err != nil || len(set.Names()) != 0 {
		t.Errorf("%v, %v", set, err)
	}
}

func TestTheAddressOfASourceIsReadFromAFile(t *testing.T) {
	t.Parallel()
	b := newBusiness(t, "sqlite")
	b.put(t, "A1", 1, -3)
	file := filepath.Join(t.TempDir(), "address")
	if err := os.WriteFile(file, []byte(b.address+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := rule.Parse([]byte(negative()), func(name string) (string, bool) {
		if name == "CARILLON_RULE_SOURCE_BUSINESS_FILE" {
			return file, true
		}
		return "", false
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := set.Ask(t.Context(), "negative-stock"); err != nil || len(rows) != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// The examples in the documentation parse without faults.
func TestTheDocumentedRulesAreValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```toml\n")[1:]
	for _, block := range blocks {
		toml, _, _ := strings.Cut(block, "```")
		if _, err := rule.Parse([]byte(toml), func(string) (string, bool) { return "sqlite:x", true }); err != nil && !strings.Contains(err.Error(), "both set") {
			t.Errorf("%s\n%v", toml, err)
		}
	}
	if len(blocks) == 0 {
		t.Error("no rules found in the documentation")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(negative())
	f.Add(negative(`cron = "CRON_TZ=UTC"`))
	f.Add("[[rule]]\nquery = \"\"\"\nname = 1\n\"\"\"\nname = 'x'")
	if text, err := os.ReadFile("testdata/faults.toml"); err == nil {
		f.Add(string(text))
	}
	now := time.Now()
	f.Fuzz(func(t *testing.T, text string) {
		set, err := rule.Parse([]byte(text), environment)
		if set == nil {
			if err == nil {
				t.Fatal("neither a set nor an error")
			}
			return
		}
		for _, r := range set.Rules() {
			if r.Fault == "" && !set.NextRun(r.Name, now).After(now) {
				t.Errorf("rule %q with schedule %q is due at %v", r.Name, r.Schedule(), set.NextRun(r.Name, now))
			}
			if err == nil && r.Fault != "" {
				t.Errorf("rule %q has a fault but Parse returned no error: %s", r.Name, r.Fault)
			}
		}
	})
}

func TestARuleToPeopleNeedsNoTypeAndOneToATopicDoes(t *testing.T) {
	t.Parallel()
	const text = "[[rule]]\nname = \"a\"\nevery = \"5m\"\nsource = \"BUSINESS\"\nquery = \"SELECT 1\"\nsubject = \"s\"\ntitle = \"t\"\n"
	for to, want := range map[string]string{`role = "picker"`: "message", `users = ["alice"]`: "message", "role = \"picker\"\ntype = \"like\"": "like", "": ""} {
		set, err := rule.Parse([]byte(text+to), environment)
		if (err == nil) != (want != "") {
			t.Errorf("%q: %v", to, err)
		}
		if got := set.Rules()[0].Type; got != want {
			t.Errorf("%q has the type %q", to, got)
		}
	}
}
