package sqltest_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/carillonhq/carillon/internal/sqltest"
)

// A connection that is being opened must not outlive the cut.
func TestNoConnectionOutlivesACut(t *testing.T) {
	t.Parallel()
	address := sqltest.OwnURL(t)
	for range 5 {
		opened := make(chan *pgx.Conn, 1000)
		var opening sync.WaitGroup
		for range 4 {
			opening.Go(func() {
				for range cap(opened) / 4 {
					c, err := pgx.Connect(t.Context(), address)
					if err != nil {
						return
					}
					opened <- c
				}
			})
		}
		all := []*pgx.Conn{<-opened}
		sqltest.Cut(t, address)
		opening.Wait()
		close(opened)
		for c := range opened {
			all = append(all, c)
		}
		for _, c := range all {
			if _, err := c.Exec(t.Context(), "SELECT 1"); err == nil {
				t.Error("a connection still works")
			}
			_ = c.Close(t.Context())
		}
		sqltest.Mend(t, address)
	}
}
