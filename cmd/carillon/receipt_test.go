package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/store"
)

func TestReceiptsAreVerifiedWithTheKeysOfThisInstallationOrOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	here := in(t.TempDir())
	must(t, here.run(t.Context(), "migrate"))
	var keys *ask.Receipts
	cfg := config.Config{DataDir: here.env["CARILLON_DATA_DIR"]}
	err := withStore(t.Context(), cfg, func(db *store.Store) (err error) {
		keys, err = instance.NewReceipts(t.Context(), cfg, db)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	q := notifier.Question{Asked: notifier.Ask{State: notifier.AskExpired, Choices: []notifier.Choice{{ID: "yes"}, {ID: "no"}}, Outcome: "no"}}
	q.ID = 123
	receipt, err := keys.Issue(&q)
	if err != nil {
		t.Fatal(err)
	}
	public, err := keys.Public()
	if err != nil {
		t.Fatal(err)
	}
	valid, forged := file("valid", receipt+"\n"), file("forged", strings.Replace(receipt, ".", ".e", 1))
	jwks := file("jwks.json", string(public))
	for _, more := range [][]string{nil, {"--jwks", jwks}} {
		var proves ask.Receipt
		out := must(t, here.run(t.Context(), append([]string{"--json", "receipt", "verify", valid}, more...)...)).out
		if err := json.Unmarshal([]byte(out), &proves); err != nil || proves.ID != 123 || proves.Outcome != "no" {
			t.Errorf("%v: %s, %v", more, out, err)
		}
		if r := here.run(t.Context(), append([]string{"receipt", "verify", forged}, more...)...); r.status != exitFailed || r.out != "" {
			t.Errorf("forged, %v: status %d, %s", more, r.status, r.out)
		}
	}
	other := in(t.TempDir())
	must(t, other.run(t.Context(), "migrate"))
	if r := other.run(t.Context(), "receipt", "verify", valid); r.status != exitFailed {
		t.Errorf("another installation: status %d, %s", r.status, r.out)
	}
	must(t, other.run(t.Context(), "receipt", "verify", valid, "--jwks", jwks))
}
