package instance

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/mailtest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/store"
	"github.com/carillonhq/carillon/views/locale"
	views "github.com/carillonhq/carillon/views/mail"
)

// post is an instance that mails users what they have not read, and a Prometheus that scrapes it. Its clock
// is the test's.
type post struct {
	*testkit.Prometheus
	db     *store.Store
	now    time.Time
	every  time.Duration // between two scrapes
	users  []int64
	newest map[int64]int64 // by user: the time of their notice
	stage  *channels.Stage
	pages  http.Handler
}

// Poll returns the newest notice as unread.
func (p *post) Poll(_ context.Context, seq int64, _ notifier.PollQuery) (notifier.Poll, error) {
	at := p.newest[seq]
	if at == 0 {
		return notifier.Poll{}, nil
	}
	e := notifier.Entry{Key: "plain:1", NoticeID: 1, At: at, Content: notifier.Content{Type: "plain", Title: "The lift is stuck", CreatedAt: time.UnixMilli(at)}}
	return notifier.Poll{Newest: at, Unread: 1, Entries: []notifier.Entry{e}}, nil
}

// Type returns a type with all defaults.
func (p *post) Type(string) (notifier.NoticeType, bool) { return notifier.NoticeType{}, false }

// newPost has users 0 to n-1 with addresses such as user0@example.com, and this relay.
func newPost(t *testing.T, relay *mailtest.Server, n int, every time.Duration) *post {
	t.Helper()
	p := &post{Prometheus: testkit.NewPrometheus(t, every), now: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC), every: every, newest: map[int64]int64{}}
	clock := func() time.Time { return p.now }
	var err error
	if p.db, err = store.Open(t.Context(), store.Config{DataDir: t.TempDir(), Now: clock, Mail: notifier.When{Wait: time.Minute}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.db.Close() })
	for i := range n {
		name := fmt.Sprint("user", i)
		u, err := p.db.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 1})
		if err == nil {
			_, _, err = p.db.PutUser(t.Context(), notifier.PutUser{Name: name, Email: new(name + "@example.com")})
		}
		if err != nil {
			t.Fatal(err)
		}
		p.users = append(p.users, u.Seq)
	}
	p.stage = channels.New(channels.Config{
		Store: p.db, Inbox: p, Types: p, Log: slog.New(slog.DiscardHandler), Now: clock,
		Ways: []channels.Way{{Kind: notifier.ReachMail, Sender: tellerTo(t, relay), Parallel: 1}},
	})
	from := quietSources(p.db)
	from.pools = []prometheus.Collector{newReachMetrics(p.db, p.stage.Stats, clock)}
	p.pages = admin(from)
	return p
}

// tellerTo mails through a relay, as an instance does.
func tellerTo(t *testing.T, relay *mailtest.Server) mailTeller {
	t.Helper()
	server, err := mail.ParseServer(relay.URL())
	if err != nil {
		t.Fatal(err)
	}
	sender, err := mail.NewSender(mail.Config{Server: server, From: "shop@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Close)
	texts, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	maker, err := links.New("https://notices.example.com", [][]byte{make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return mailTeller{
		to: sender, composer: views.NewComposer(texts, "notices.example.com"), links: func(context.Context, *channels.Message) links.Links { return maker.For(links.Reader{}) },
	}
}

// notify gives these users a notice.
func (p *post) notify(t *testing.T, users ...int64) {
	t.Helper()
	at := p.now.UnixMilli()
	var inboxes []notifier.Snapshot
	for _, seq := range users {
		p.newest[seq] = at
		rows := []notifier.SnapshotRow{{Field: "plain:1" + notifier.UnreadSuffix, NoticeID: 1, At: at}}
		inboxes = append(inboxes, notifier.Snapshot{Seq: seq, Ver: at, Rows: rows})
	}
	if err := p.db.SaveSnapshots(t.Context(), inboxes); err != nil {
		t.Fatal(err)
	}
}

// pass lets time pass, with a scrape at the end of each step of it.
func (p *post) pass(t *testing.T, d time.Duration) {
	t.Helper()
	for range d / p.every {
		for range 3 {
			p.now = p.now.Add(p.every / 3)
			if err := p.stage.Round(t.Context(), notifier.ReachMail); err != nil {
				t.Fatal(err)
			}
		}
		p.Scrape(scrape(t, p.pages))
	}
}

// fires has exactly these alerts fire now.
func (p *post) fires(alerts ...string) {
	var firing []string
	for _, name := range alerts {
		kind := `, kind="mail"`
		if name == "CarillonMailWaits" {
			kind = "" // it is about all kinds together
		}
		firing = append(firing, fmt.Sprintf("{labels: '{alertname=%q%s}', value: 1}", name, kind))
	}
	p.Expect(`count by (alertname, kind) (ALERTS{alertstate="firing"})`, firing...)
}

func TestARelayThatRefusesEverybodyAlertsUntilItTakesMailAgain(t *testing.T) {
	t.Parallel()
	var mended atomic.Bool
	relay := mailtest.Start(t, mailtest.Options{Rcpt: func(address string) error {
		if mended.Load() {
			return nil
		}
		return mailtest.Answer(554, 5, 7, 1, "<"+address+">: Relay access denied")
	}})
	p := newPost(t, relay, 8, time.Minute)
	p.pass(t, 5*time.Minute)
	p.notify(t, p.users...)
	p.pass(t, 8*time.Minute)
	p.fires() // it may pass by itself
	p.pass(t, 6*time.Minute)
	p.fires("CarillonMailAway")
	p.pass(t, 2*time.Hour)
	p.fires("CarillonMailAway", "CarillonMailWaits") // and no address is given up
	mended.Store(true)
	p.pass(t, 15*time.Minute)
	p.fires()
	p.Check(t)
	if n := len(relay.Letters()); n != len(p.users) {
		t.Errorf("%d letters went out afterwards, want %d", n, len(p.users))
	}
}

func TestAddressesThatAreGivenUpAlertForADay(t *testing.T) {
	t.Parallel()
	const gone = 5 // as many as the alert is about
	relay := mailtest.Start(t, mailtest.Options{Rcpt: func(address string) error {
		if address == "user5@example.com" {
			return nil
		}
		return mailtest.Answer(550, 5, 1, 1, "nobody here")
	}})
	p := newPost(t, relay, gone+1, 30*time.Minute)
	reader := p.users[gone] // who gets mail all the time, so that it is not the relay's fault
	for i := range gone {
		p.notify(t, p.users[i], reader)
		p.pass(t, 30*time.Minute)
	}
	p.fires()
	for range 2 * 24 * 4 {
		if p.Last(t, "carillon_reach_dead", `kind="mail"`) == "5" {
			break
		}
		p.notify(t, reader)
		p.pass(t, 30*time.Minute)
	}
	p.fires("CarillonAddressesDie")
	p.pass(t, 25*time.Hour)
	p.fires()
	p.Check(t)
}
