package store_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
)

// Settings that a change omits stay, also during two concurrent changes of different settings.
func TestSettingsAreTheLastOfEachThatWasSet(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice")
		rapid.Check(t, func(rt *rapid.T) {
			had, err := s.UserByName(t.Context(), "alice")
			if err != nil {
				rt.Fatal(err)
			}
			want := had.Settings
			texts := notifier.PutSettings{
				Locale: rapid.Ptr(rapid.SampledFrom([]string{"", "ja", "en"}), true).Draw(rt, "locale"),
				Theme:  rapid.Ptr(rapid.SampledFrom([]string{"", notifier.ThemeDark, notifier.ThemeLight}), true).Draw(rt, "theme"),
			}
			switches := notifier.PutSettings{
				KeysOff: rapid.Ptr(rapid.Bool(), true).Draw(rt, "keys off"), ToastsOff: rapid.Ptr(rapid.Bool(), true).Draw(rt, "toasts off"),
				OpensOnly: rapid.Ptr(rapid.Bool(), true).Draw(rt, "opens only"), Compact: rapid.Ptr(rapid.Bool(), true).Draw(rt, "compact"),
			}
			var at sync.WaitGroup
			for _, set := range []notifier.PutSettings{texts, switches} {
				want = set.Apply(want)
				at.Go(func() {
					if _, err := s.SetSettings(t.Context(), had.Seq, set); err != nil {
						rt.Error(err)
					}
				})
			}
			at.Wait()
			now, err := s.UserByName(t.Context(), "alice")
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, now.Settings); diff != "" {
				rt.Fatal(diff)
			}
		})
	})
}
