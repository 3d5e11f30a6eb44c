package channels_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/store"
)

// The model is one user with a mail address, whose inbox lives in memory and whose target lives in the real
// store. Notices arrive, are read and deleted, inboxes are written to SQL, preferences change, and two
// workers send, each of which may die at any step. It checks that
//
//   - only unread notices of wanted types are sent, and only urgent ones in quiet hours or a pause;
//   - a notice is never sent in two different messages;
//   - at the end, everything unread that arrived while the address was on has been sent.
type model struct {
	db   *store.Store
	now  *atomic.Int64 // ms
	user notifier.User

	rows    []*row // oldest first
	ver     int64
	on      bool
	ending  bool // every message is accepted from now on
	prefs   notifier.PutPreferences
	workers [2]*worker
	sent    map[int64]string // at → identity of the message
	told    map[int64]bool   // by at: an accepted message contained it
	during  func()           // called while a message is sent
	faults  []string         // of messages
}

type row struct {
	key           string
	at            int64
	read, deleted bool
	expected      bool // it arrived while the address was on
}

// worker is one instance. After its steps have run out, its calls of the store fail, as after SIGKILL.
type worker struct {
	*store.Store
	stage *channels.Stage
	steps int // calls of Step that still succeed; negative: all
}

var errKilled = errors.New("killed")

func (w *worker) Step(ctx context.Context, steps []*notifier.ReachStep) error {
	if w.steps == 0 {
		return errKilled
	}
	w.steps--
	return w.Store.Step(ctx, steps)
}

// Poll implements channels.Inbox.
func (m *model) Poll(_ context.Context, _ int64, q notifier.PollQuery) (notifier.Poll, error) {
	p := notifier.Poll{Newest: q.Since}
	for _, r := range slices.Backward(m.rows) {
		if r.deleted || r.at <= q.Since {
			continue
		}
		p.Newest = max(p.Newest, r.at)
		p.Entries = append(p.Entries, notifier.Entry{Key: r.key, At: r.at, Read: r.read, Content: notifier.Content{Type: typeOf(r)}})
	}
	return p, nil
}

func typeOf(r *row) string {
	return map[byte]string{'p': "plain", 'u': "urgent", 'x': "unwanted"}[r.key[0]]
}

// Type implements channels.Types.
func (m *model) Type(slug string) (notifier.NoticeType, bool) {
	return notifier.NoticeType{Slug: slug, Urgent: slug == "urgent", NoMail: slug == "unwanted"}, true
}

// teller receives the messages of a model.
type teller struct {
	m *model
	t *rapid.T
}

func (to teller) Send(_ context.Context, msg *channels.Message) channels.Outcome {
	m, t := to.m, to.t
	if during := m.during; during != nil {
		m.during = nil
		during()
	}
	now := time.UnixMilli(m.now.Load())
	answer := "told"
	if since := msg.Target.FailingSince; !m.ending && (since.IsZero() || now.Sub(since) < 24*time.Hour) { // later it might be given up
		answer = rapid.SampledFrom([]string{"told", "told", "later", "away"}).Draw(t, "answer")
	}
	if answer == "away" {
		return channels.Outcome{Verdict: channels.Away}
	}
	id := fmt.Sprintf("%d %t", msg.Target.UpTo, msg.Target.Urgent)
	held := m.prefs.PausedUntil != nil && m.prefs.PausedUntil.After(now) || !m.prefs.Quiet.Until(now, time.UTC).IsZero()
	for _, e := range msg.Entries {
		i := slices.IndexFunc(m.rows, func(r *row) bool { return r.at == e.At })
		r := m.rows[i]
		switch {
		case typeOf(r) == "unwanted":
			m.fault("%s of a type not wanted is told", r.key)
		case held && typeOf(r) != "urgent":
			m.fault("%s is told at %v in quiet hours or a pause", r.key, now)
		case !r.expected:
			m.fault("%s is told, which came while the address was off", r.key)
		case m.sent[r.at] != "" && m.sent[r.at] != id:
			m.fault("%s is told by messages %s and %s", r.key, m.sent[r.at], id)
		}
		m.sent[r.at] = id // even if the answer is lost: the message may have arrived
		m.told[r.at] = m.told[r.at] || answer == "told"
	}
	if answer == "later" {
		return channels.Outcome{Verdict: channels.Later}
	}
	return channels.Outcome{Verdict: channels.Sent}
}

func (m *model) fault(format string, args ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, args...))
}

func (m *model) advance(d time.Duration) { m.now.Add(d.Milliseconds()) }

func (m *model) deliver(t *rapid.T) {
	for _, kind := range rapid.SliceOfN(rapid.SampledFrom([]string{"p", "p", "u", "x"}), 1, 3).Draw(t, "kinds") {
		m.advance(time.Millisecond)
		m.ver = max(m.ver+1, m.now.Load())
		m.rows = append(m.rows, &row{key: kind + strconv.Itoa(len(m.rows)), at: m.ver, expected: m.on})
	}
}

// save writes the inbox to SQL.
func (m *model) save(ctx context.Context, t *rapid.T) {
	s := notifier.Snapshot{Seq: m.user.Seq, Ver: m.ver}
	for _, r := range slices.Backward(m.rows) {
		if r.deleted {
			continue
		}
		field := typeOf(r) + ":" + r.key + notifier.UnreadSuffix
		if r.read {
			field = typeOf(r) + ":" + r.key + notifier.ReadSuffix
		}
		s.Rows = append(s.Rows, notifier.SnapshotRow{Field: field, NoticeID: r.at, At: r.at})
	}
	if err := m.db.SaveSnapshots(ctx, []notifier.Snapshot{s}); err != nil {
		t.Fatal(err)
	}
}

func (m *model) change(ctx context.Context, t *rapid.T, p notifier.PutPreferences) {
	if err := m.db.PutPreferences(ctx, m.user.Seq, p); err != nil {
		t.Fatal(err)
	}
	if p.SetQuiet {
		m.prefs.Quiet = p.Quiet
	}
	if p.PausedUntil != nil {
		m.prefs.PausedUntil = p.PausedUntil
	}
	if p.Mail == nil {
		return
	}
	if m.on = !p.Mail.Off; !m.on {
		for _, r := range m.rows {
			r.expected = false
		}
	}
}

// work runs a round of one worker, which dies after some steps.
func (m *model) work(ctx context.Context, t *rapid.T, i, steps int) {
	if rapid.Bool().Draw(t, "saved before") {
		m.save(ctx, t)
		m.advance(30 * time.Minute)
	}
	m.workers[i].steps = steps
	if err := m.workers[i].stage.Round(ctx, notifier.ReachMail); err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if m.faults != nil {
		t.Fatal(m.faults)
	}
}

func TestEveryUnreadNoticeIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func() string{"SQLite": func() string { return "" }, "PostgreSQL": func() string { return sqltest.URL(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := new(atomic.Int64)
			now.Store(1_790_000_000_000)
			db, err := store.Open(t.Context(), store.Config{URL: url(), DataDir: t.TempDir(), Now: func() time.Time { return time.UnixMilli(now.Load()) }})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			if err := db.SaveType(t.Context(), notifier.Actor{}, notifier.NoticeType{Slug: "urgent", Urgent: true}); err != nil {
				t.Fatal(err)
			}
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				n++
				check(t.Context(), rt, &model{db: db, now: now, sent: map[int64]string{}, told: map[int64]bool{}, on: true}, "user "+strconv.Itoa(n))
			})
		})
	}
}

func check(ctx context.Context, t *rapid.T, m *model, name string) {
	var err error
	if m.user, err = m.db.CreateUser(ctx, notifier.NewUser{Name: name, Audience: 1, Email: "user@example.com"}); err != nil {
		t.Fatal(err)
	}
	defer func() { // or the workers of the next check would notify this user
		none := ""
		_, _, _ = m.db.PutUser(ctx, notifier.PutUser{Name: name, Email: &none})
	}()
	m.change(ctx, t, notifier.PutPreferences{Mail: &notifier.When{Wait: 30 * time.Minute}, MailAt: new(480)})
	for i := range m.workers {
		w := &worker{Store: m.db, steps: -1}
		w.stage = channels.New(channels.Config{
			Store: w, Inbox: m, Types: m, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.UnixMilli(m.now.Load()) },
			Ways: []channels.Way{{Kind: notifier.ReachMail, Sender: teller{m, t}, Parallel: 1}},
		})
		m.workers[i] = w
	}
	minutes := rapid.IntRange(0, 24*60-1)
	t.Repeat(map[string]func(*rapid.T){
		"deliver": m.deliver,
		"save":    func(t *rapid.T) { m.save(ctx, t) },
		"read or delete": func(t *rapid.T) {
			if len(m.rows) == 0 {
				return
			}
			r := rapid.SampledFrom(m.rows).Draw(t, "row")
			if rapid.Bool().Draw(t, "delete") {
				r.deleted = true
			}
			r.read = true
			m.advance(time.Millisecond)
			m.ver++
		},
		"wait": func(t *rapid.T) {
			m.advance(time.Duration(rapid.Int64Range(1, int64(3*time.Hour)).Draw(t, "time")))
		},
		"a moment": func(t *rapid.T) { m.advance(time.Duration(rapid.IntRange(1, 90).Draw(t, "seconds")) * time.Second) },
		"quiet": func(t *rapid.T) {
			p := notifier.PutPreferences{SetQuiet: true}
			if rapid.Bool().Draw(t, "on") {
				p.Quiet = &notifier.Quiet{From: minutes.Draw(t, "from"), To: minutes.Draw(t, "to")}
			}
			m.change(ctx, t, p)
		},
		"pause": func(t *rapid.T) {
			until := time.UnixMilli(m.now.Load()).Add(time.Duration(rapid.IntRange(-1, 5).Draw(t, "hours")) * time.Hour)
			m.change(ctx, t, notifier.PutPreferences{PausedUntil: &until})
		},
		"mail": func(t *rapid.T) {
			when, _ := notifier.ParseWhen(rapid.SampledFrom([]string{"off", "daily", "0s", "30m", "4h"}).Draw(t, "when"))
			m.change(ctx, t, notifier.PutPreferences{Mail: &when, MailAt: new(minutes.Draw(t, "at"))})
		},
		"tell": func(t *rapid.T) { m.work(ctx, t, rapid.IntRange(0, 1).Draw(t, "worker"), -1) },
		"tell and die": func(t *rapid.T) {
			m.work(ctx, t, rapid.IntRange(0, 1).Draw(t, "worker"), rapid.IntRange(0, 2).Draw(t, "steps"))
		},
		"tell at once": func(t *rapid.T) { // the second worker runs a round while the first one sends
			m.during = func() {
				m.advance(time.Duration(rapid.IntRange(0, 35).Draw(t, "seconds")) * time.Second)
				if err := m.workers[1].stage.Round(ctx, notifier.ReachMail); err != nil {
					t.Fatal(err)
				}
			}
			m.work(ctx, t, 0, -1)
			m.during = nil
		},
	})
	m.end(ctx, t)
}

// end lets the workers finish, and checks for unsent notices.
func (m *model) end(ctx context.Context, t *rapid.T) {
	m.ending = true
	over := time.UnixMilli(m.now.Load()).Add(-time.Second)
	m.change(ctx, t, notifier.PutPreferences{SetQuiet: true, PausedUntil: &over})
	m.save(ctx, t)
	for range 40 {
		m.advance(6 * time.Hour)
		if m.workers[0].steps = -1; m.workers[0].stage.Round(ctx, notifier.ReachMail) != nil {
			t.Fatal("the last rounds fail")
		}
	}
	if m.faults != nil {
		t.Fatal(m.faults)
	}
	for _, r := range m.rows {
		if !r.read && !r.deleted && r.expected && m.on && typeOf(r) != "unwanted" && !m.told[r.at] {
			t.Fatalf("%s, which came at %v, was never told", r.key, time.UnixMilli(r.at).UTC())
		}
	}
}
