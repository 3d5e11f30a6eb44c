package app_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestEveryDeedOnAnAppLeavesOneEntryInTheAuditLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	by := notifier.Actor{Ref: notifier.CommandRef("test")}
	base, odd := "https://shop.example.com", "javascript:alert(1)"
	for _, deed := range []struct {
		action string // empty: the deed is refused
		do     func() error
	}{
		{"app.add", func() error { w.add(t, notifier.App{Name: "shop"}, nil); return nil }},
		{"app.change", func() error {
			_, err := w.apps.Change(t.Context(), by, "shop", notifier.AppChange{Base: &base})
			return err
		}},
		{"", func() error {
			_, err := w.apps.Change(t.Context(), by, "shop", notifier.AppChange{Base: &odd})
			return err
		}},
		{"app.rotate", func() error { _, err := w.apps.Rotate(t.Context(), by, "shop", nil); return err }},
		{"app.revoke", func() error { _, err := w.apps.RevokeKey(t.Context(), by, "shop", 1); return err }},
		{"app.revoke", func() error { _, err := w.apps.Revoke(t.Context(), by, "shop"); return err }},
	} {
		before := len(w.audit.entries)
		err := deed.do()
		after := w.audit.entries
		switch {
		case deed.action == "" && (err == nil || len(after) != before):
			t.Errorf("a refused change: %v, %d new entries", err, len(after)-before)
		case deed.action != "" && (err != nil || len(after) != before+1):
			t.Errorf("%s: %v, %d new entries", deed.action, err, len(after)-before)
		case deed.action != "" && (after[before].Action != deed.action || after[before].Actor != by.Ref || after[before].Object != notifier.AppRef("shop")):
			t.Errorf("%s left %+v", deed.action, after[before])
		}
	}
}
