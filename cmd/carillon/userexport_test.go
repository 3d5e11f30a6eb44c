package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
)

func TestAnExportHasAllStoredDataOfAUser(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", sqltest.URL(t)} {
		server := redistest.Own(t)
		c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+server.Socket).with("CARILLON_DATABASE_URL", address)
		trodden(t, c)
		must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "order", "--subject", "order:42", "--title", "For one again", "--toast"))
		rdb := server.Client(t)
		testkit.Eventually(t, "SQL is up to date", func() bool {
			return marks(t, rdb) == 0 && rdb.Exists(t.Context(), keys.New("carillon:").PendingToasts(2)).Val() == 1
		})
		r := must(t, c.run(t.Context(), "export", "--user", "bob"))
		var got struct {
			User struct {
				Name  string
				Roles []string
			}
			Sessions []struct{}
			Inbox    struct {
				Entries []struct{ Key, Title string }
			}
			Toasts []struct{ Title string }
			Sent   []struct{ Title string }
			Log    []struct{ Action string }
		}
		if err := json.Unmarshal([]byte(r.out), &got); err != nil {
			t.Fatalf("%v in\n%s", err, r.out)
		}
		if got.User.Name != "bob" || !slices.Equal(got.User.Roles, []string{"staff"}) || len(got.Sessions) != 1 ||
			len(got.Inbox.Entries) != 3 || len(got.Toasts) != 1 || len(got.Sent) != 1 || len(got.Log) < 3 {
			t.Errorf("the export is %+v", got)
		}
		wantWords(t, r.out, "order:order:42", "From him", "For one again")
		server.Crash(t)
		r = must(t, c.run(t.Context(), "export", "--user", "bob"))
		wantWords(t, r.out, "order:order:42", `"toasts":null`)
		wantWords(t, r.errors, "the export lacks undelivered toasts")
	}
	r := in(t.TempDir()).run(t.Context(), "export", "--user", "nobody")
	wantWords(t, r.errors, `there is no user "nobody"`)
}
