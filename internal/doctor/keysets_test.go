package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier/app"
)

func TestTheKeysOfAppsAreFetchedAndTheirFaultsNamed(t *testing.T) {
	t.Parallel()
	var found []string
	e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
	e.keySets(t.Context(), func(context.Context) ([]app.KeySet, error) {
		return []app.KeySet{
			{App: "blog", URL: "https://blog.example.com/keys", Keys: 2},
			{App: "crm", URL: "https://crm.internal/keys", Err: fmt.Errorf("dial: %w", outbound.ErrPrivate)},
			{App: "shop", URL: "https://shop.example.com/keys", Err: errors.New("status 404")},
		}, nil
	})
	e.keySets(t.Context(), func(context.Context) ([]app.KeySet, error) { return nil, errors.New("SQL is away") })
	for i, want := range [][]string{{"ok ", "2 keys of the app blog"}, {"FAIL", "app crm", "--outbound-allow"}, {"FAIL", "app shop", "status 404", "correct its address"}, {"FAIL", "SQL is away"}} {
		for _, word := range want {
			if !strings.Contains(found[i], word) {
				t.Errorf("%q lacks %q", found[i], word)
			}
		}
	}
}
