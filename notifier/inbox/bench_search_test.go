package inbox_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// BenchmarkSearch searches an inbox of 200 entries. The documented limit for p99-ms is 5 with texts of 200
// characters.
func BenchmarkSearch(b *testing.B) {
	for _, sentences := range []int{7, 40} {
		b.Run(fmt.Sprint(28*sentences, " characters"), func(b *testing.B) {
			box := inbox.New(redistest.Client(b), redistest.Space(b), inbox.Options{})
			for id := range int64(200) {
				n := benchNotice(id+1, 1)
				n.Subject, n.Title = strconv.FormatInt(id, 10), fmt.Sprintf("Order %d is late", id)
				n.Body = strings.Repeat("Größere Lieferung aus Lyon. ", sentences)
				if _, err := box.Deliver(b.Context(), n, []int64{42}); err != nil {
					b.Fatal(err)
				}
			}
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				page, err := box.Look(b.Context(), 42, notifier.Query{Filter: notifier.Filter{Text: "ORDER 19"}})
				if err != nil || len(page.Entries) != 11 {
					b.Fatal(len(page.Entries), err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
