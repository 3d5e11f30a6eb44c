package app_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestEveryDeedOnAnAppIsRecordedByItsAuthorAndCountsHereAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	changes := 0
	w.changed = func() { changes++ }
	by := notifier.Actor{Ref: notifier.CommandRef("test"), Address: "192.0.2.1"}
	base, odd := "https://shop.example.com", "javascript:alert(1)"
	var want []string
	for _, deed := range []struct {
		row string // empty: the deed is refused
		do  func() error
	}{
		{"app.add ", func() error {
			_, err := w.apps.Add(t.Context(), by, notifier.App{Name: "shop", Audience: 2, MaxLife: time.Hour}, nil)
			return err
		}},
		{"app.change base", func() error {
			_, err := w.apps.Change(t.Context(), by, "shop", notifier.AppChange{Base: &base})
			return err
		}},
		{"", func() error {
			_, err := w.apps.Change(t.Context(), by, "shop", notifier.AppChange{Base: &odd})
			return err
		}},
		{"app.rotate tk_2", func() error { _, err := w.apps.Rotate(t.Context(), by, "shop", nil); return err }},
		{"app.rotate API key 2 send", func() error { _, err := w.apps.RotateAPIKey(t.Context(), by, "shop", 0); return err }},
		{"app.revoke key 1", func() error { _, err := w.apps.RevokeKey(t.Context(), by, "shop", 1); return err }},
		{"", func() error { _, err := w.apps.RevokeKey(t.Context(), by, "shop", 1); return err }},
		{"app.revoke ", func() error { _, err := w.apps.Revoke(t.Context(), by, "shop"); return err }},
		{"", func() error { _, err := w.apps.Revoke(t.Context(), by, "shop"); return err }},
	} {
		if err := deed.do(); (err != nil) != (deed.row == "") {
			t.Errorf("%q: %v", deed.row, err)
		}
		if deed.row != "" {
			want = append(want, "command test 192.0.2.1 app shop "+deed.row)
		}
		if changes != len(want) {
			t.Errorf("after %q, %d changes count here; want %d", deed.row, changes, len(want))
		}
	}
	if diff := cmp.Diff(want, w.log(t)); diff != "" {
		t.Errorf("the audit log (-want +got):\n%s", diff)
	}
}

// log returns the audit log: author, address, object, action and detail of each row.
func (w *world) log(t *testing.T) (all []string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.dir, "carillon.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT actor_kind || ' ' || actor_id || ' ' || address || ' ' || object_kind || ' ' || object_id || ' ' ||
		action || ' ' || detail FROM audit_log ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
