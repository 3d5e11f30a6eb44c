package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// giveMail gives a user a mail address.
func giveMail(t *testing.T, s *store.Store, name, address string) {
	t.Helper()
	if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: name, Email: &address}); err != nil {
		t.Fatal(err)
	}
}

// reachable gives a user a mail address, a device, and preferences for them.
func reachable(t *testing.T, s *store.Store, u notifier.User) {
	t.Helper()
	giveMail(t, s, u.Name, u.Name+"@example.com")
	register(t, s, u.Seq, "", "https://push.example/"+u.Name)
	zone := "Asia/Tokyo"
	if err := s.PutPreferences(t.Context(), u.Seq, notifier.PutPreferences{
		SetQuiet: true, Quiet: &notifier.Quiet{From: 60, To: 120}, Zone: &zone,
		Types: map[string]notifier.TypeWants{"of_" + u.Name: {Inbox: new(bool), Push: new(bool), Mail: new(bool)}},
	}); err != nil {
		t.Fatal(err)
	}
}

// mailOf returns the only target of a user.
func mailOf(t *testing.T, s *store.Store, seq int64) notifier.ReachTarget {
	t.Helper()
	all := must(s.Targets(t.Context(), seq))(t)
	if len(all) != 1 {
		t.Fatalf("%d targets, want one", len(all))
	}
	return all[0]
}

// has stores an inbox with these unread entries, which arrived at these times.
func (db *database) has(t *testing.T, s *store.Store, seq int64, entries map[string]time.Time) {
	t.Helper()
	n := notifier.Snapshot{Seq: seq, Ver: db.clock.at.UnixMilli()}
	for key, at := range entries {
		n.Rows = append(n.Rows, notifier.SnapshotRow{Field: key + notifier.UnreadSuffix, NoticeID: 1, At: at.UnixMilli()})
	}
	save(t, s, n)
}

// arrive reports these entries as delivered.
func (db *database) arrive(t *testing.T, s *store.Store, seq int64, entries map[string]time.Time) {
	t.Helper()
	var all []notifier.Arrival
	for key, at := range entries {
		all = append(all, notifier.Arrival{Seq: seq, Key: key, At: at.UnixMilli()})
	}
	if seqs, err := s.Arrived(t.Context(), all); err != nil || !slices.Equal(seqs, []int64{seq}) {
		t.Fatalf("targets of users %v, %v", seqs, err)
	}
}

func TestAnUnreadEntryMakesItsTargetDueAfterItsWait(t *testing.T) {
	becomesDue(t, (*database).has)
}

func TestADeliveryMakesItsTargetDueBeforeTheInboxIsStored(t *testing.T) {
	becomesDue(t, (*database).arrive)
}

func becomesDue(t *testing.T, has func(db *database, t *testing.T, s *store.Store, seq int64, entries map[string]time.Time)) {
	t.Helper()
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		half := notifier.When{Wait: 30 * time.Minute}
		bob := addUser(t, s, "bob")
		if err := s.SaveType(t.Context(), notifier.Actor{}, notifier.NoticeType{Slug: "alarm", Urgent: true}); err != nil {
			t.Fatal(err)
		}
		giveMail(t, s, "bob", "bob@example.com")
		if err := s.PutPreferences(t.Context(), bob.Seq, notifier.PutPreferences{Mail: &half}); err != nil {
			t.Fatal(err)
		}
		step(t, s, func(target *notifier.ReachTarget) { target.DueAt = time.Time{} }, bob.Seq) // the first decision after its creation
		db.clock.move(time.Minute)
		came := db.clock.at
		has(db, t, s, bob.Seq, map[string]time.Time{"like:1": came})
		if got := mailOf(t, s, bob.Seq); !got.DueAt.Equal(came.Add(half.Wait)) || got.Newest != came.UnixMilli() {
			t.Errorf("due at %v, newest %d", got.DueAt, got.Newest)
		}

		// While the target is held until tomorrow, only an urgent entry changes when it is due.
		tomorrow := came.Add(24 * time.Hour)
		step(t, s, func(target *notifier.ReachTarget) { target.DueAt = tomorrow }, bob.Seq)
		db.clock.move(time.Minute)
		has(db, t, s, bob.Seq, map[string]time.Time{"like:1": came, "like:2": db.clock.at})
		if got := mailOf(t, s, bob.Seq); !got.DueAt.Equal(tomorrow) || got.Newest != db.clock.at.UnixMilli() {
			t.Errorf("after a second entry: due at %v, newest %d", got.DueAt, got.Newest)
		}
		db.clock.move(time.Minute)
		has(db, t, s, bob.Seq, map[string]time.Time{"like:1": came, "alarm:3": db.clock.at})
		if got := mailOf(t, s, bob.Seq); !got.DueAt.Equal(db.clock.at.Add(half.Wait)) {
			t.Errorf("after an urgent entry: due at %v", got.DueAt)
		}
	})
}

// step changes the target of a user.
func step(t *testing.T, s *store.Store, change func(*notifier.ReachTarget), seq int64) {
	t.Helper()
	was := mailOf(t, s, seq)
	to := was
	change(&to)
	steps := []*notifier.ReachStep{{Was: &was, To: to}}
	if err := s.Step(t.Context(), steps); err != nil || !steps[0].Done {
		t.Fatalf("change a target: %v, done %v", err, steps[0].Done)
	}
}

func TestATargetThatHasChangedIsNotChangedAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		giveMail(t, s, "bob", "bob@example.com")
		was := mailOf(t, s, bob.Seq)
		first := &notifier.ReachStep{Was: &was, To: was}
		first.To.UpTo, first.To.DueAt = 7, db.clock.at.Add(time.Minute)
		second := *first
		if err := s.Step(t.Context(), []*notifier.ReachStep{first, &second}); err != nil || !first.Done || second.Done {
			t.Errorf("two claims: %v, %v, %v", err, first.Done, second.Done)
		}
	})
}

func TestAMailAddressGetsNoOlderNotices(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.cfg.Mail = notifier.When{Wait: time.Hour}
		s := db.open(t)
		bob := addUser(t, s, "bob")
		came := db.clock.at
		db.has(t, s, bob.Seq, map[string]time.Time{"like:1": came})
		db.clock.move(time.Minute)
		giveMail(t, s, "bob", "bob@example.com")
		first := mailOf(t, s, bob.Seq)
		if first.Told != db.clock.at.UnixMilli() || first.Wait != time.Hour || first.State != notifier.ReachOn || len(first.Token) != 32 {
			t.Errorf("a new address: %+v", first)
		}
		db.has(t, s, bob.Seq, map[string]time.Time{"like:1": came})
		if got := mailOf(t, s, bob.Seq); got.Newest != 0 {
			t.Errorf("an earlier entry is to be sent: %+v", got)
		}

		// The same address again changes nothing; a different one resets the target.
		giveMail(t, s, "bob", "bob@example.com")
		if got := mailOf(t, s, bob.Seq); got.ID != first.ID {
			t.Error("the same address has become another target")
		}
		db.clock.move(time.Minute)
		giveMail(t, s, "bob", "robert@example.com")
		if got := mailOf(t, s, bob.Seq); got.Token == first.Token || got.Told != db.clock.at.UnixMilli() || got.Address != "robert@example.com" {
			t.Errorf("another address: %+v", got)
		}
		giveMail(t, s, "bob", "")
		if m, err := s.MailOf(t.Context(), bob.Seq); err != nil || m.Address != "" {
			t.Errorf("the removed address is still %q, %v", m.Address, err)
		}
		_, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: "bob", Email: new("bob")})
		want := &notifier.InvalidError{Fields: []notifier.FieldError{{Field: "email", Code: notifier.CodeBadEmail}}}
		if diff := cmp.Diff(error(want), err); diff != "" {
			t.Error(diff)
		}
	})
}

func TestATokenSwitchesMailOffAndThePreferencesOnAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		giveMail(t, s, "bob", "bob@example.com")
		half := notifier.When{Wait: 30 * time.Minute}
		put := func(p notifier.PutPreferences) {
			t.Helper()
			if err := s.PutPreferences(t.Context(), bob.Seq, p); err != nil {
				t.Fatal(err)
			}
		}
		put(notifier.PutPreferences{Mail: &half, MailAt: new(480)})
		db.clock.move(time.Minute)
		db.has(t, s, bob.Seq, map[string]time.Time{"like:1": db.clock.at})
		token := mailOf(t, s, bob.Seq).Token
		for range 2 { // a second click changes nothing
			if seq := must(s.SwitchOff(t.Context(), token))(t); seq != bob.Seq {
				t.Errorf("the token of user %d switched off user %d", bob.Seq, seq)
			}
		}
		if got := mailOf(t, s, bob.Seq); got.State != notifier.ReachOff || !got.DueAt.IsZero() {
			t.Errorf("after unsubscribing: %+v", got)
		}
		if p := must(s.Preferences(t.Context(), bob.Seq))(t); !p.Mail.Off {
			t.Errorf("the preferences are %v", p.Mail)
		}
		_, err := s.SwitchOff(t.Context(), "ffffffffffffffffffffffffffffffff")
		wantIs(t, err, notifier.ErrNotFound)

		db.clock.move(time.Minute)
		put(notifier.PutPreferences{Mail: &half, MailAt: new(480)})
		if got := mailOf(t, s, bob.Seq); got.State != notifier.ReachOn || got.Told != db.clock.at.UnixMilli() || !got.DueAt.IsZero() {
			t.Errorf("switched on again: %+v", got)
		}
	})
}

func TestPreferencesAreReplacedOneByOne(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.cfg.Mail = notifier.When{Daily: true}
		s := db.open(t)
		bob := addUser(t, s, "bob")
		yes, no := true, false
		want := notifier.Preferences{Mail: notifier.When{Daily: true}, MailAt: 480, InForce: "UTC", ZoneFrom: notifier.ZoneInstallation, Types: map[string]notifier.TypeWants{}}
		for _, put := range []struct {
			p    notifier.PutPreferences
			then func()
		}{
			{notifier.PutPreferences{}, func() {}},
			{notifier.PutPreferences{Zone: new("Asia/Tokyo")}, func() { want.Zone, want.InForce, want.ZoneFrom = "Asia/Tokyo", "Asia/Tokyo", notifier.ZoneChosen }},
			{notifier.PutPreferences{SetQuiet: true, Quiet: &notifier.Quiet{From: 1320, To: 420}}, func() { want.Quiet = &notifier.Quiet{From: 1320, To: 420} }},
			{notifier.PutPreferences{PausedUntil: &db.clock.at}, func() { want.PausedUntil = db.clock.at }},
			{notifier.PutPreferences{Push: &notifier.When{Wait: time.Minute}}, func() { want.Push = notifier.When{Wait: time.Minute} }},
			{
				notifier.PutPreferences{Types: map[string]notifier.TypeWants{"like": {Inbox: &no, Mail: &yes}, "news": {Push: &no, Inbox: &yes}}},
				func() {
					want.Types = map[string]notifier.TypeWants{"like": {Inbox: &no, Mail: &yes}, "news": {Push: &no, Inbox: &yes}} // as passed in
				},
			},
			{notifier.PutPreferences{SetQuiet: true}, func() { want.Quiet = nil }},
			{notifier.PutPreferences{PausedUntil: &time.Time{}}, func() { want.PausedUntil = time.Time{} }},
			{notifier.PutPreferences{Types: map[string]notifier.TypeWants{}}, func() { want.Types = map[string]notifier.TypeWants{} }},
		} {
			if err := s.PutPreferences(t.Context(), bob.Seq, put.p); err != nil {
				t.Fatal(err)
			}
			put.then()
			if diff := cmp.Diff(want, must(s.Preferences(t.Context(), bob.Seq))(t)); diff != "" {
				t.Errorf("after %+v (-want +got):\n%s", put.p, diff)
			}
		}
		wantIs(t, s.PutPreferences(t.Context(), 99, notifier.PutPreferences{}), notifier.ErrNotFound)
	})
}

func TestDueTargetsComeWithWhatDecidesAboutThem(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		giveMail(t, s, "bob", "bob@example.com")
		no, at := false, db.clock.at
		p := notifier.PutPreferences{
			Mail: &notifier.When{Wait: time.Second}, Zone: new("Asia/Tokyo"), SetQuiet: true, Quiet: &notifier.Quiet{From: 1, To: 2}, PausedUntil: &at,
			Types: map[string]notifier.TypeWants{"like": {Mail: &no, Push: new(true)}},
		}
		if err := s.PutPreferences(t.Context(), bob.Seq, p); err != nil {
			t.Fatal(err)
		}
		db.clock.move(time.Hour)
		due := must(s.DueTargets(t.Context(), notifier.ReachMail, 10))(t)
		if len(due) != 1 {
			t.Fatalf("%d targets are due", len(due))
		}
		want := notifier.ReachDue{
			ReachTarget: mailOf(t, s, bob.Seq), User: bob, Zone: "Asia/Tokyo", Quiet: p.Quiet, Wants: map[string]bool{"like": false},
		}
		want.User.Paused, want.User.Zones.Chosen = at.UnixMilli(), "Asia/Tokyo"
		want.User.Roles = nil // no message depends on them
		if diff := cmp.Diff(want, due[0]); diff != "" {
			t.Error(diff)
		}
		stats := must(s.ReachStats(t.Context(), notifier.ReachMail))(t)
		if stats.Targets != 1 || stats.Due != 1 || !stats.Oldest.Equal(due[0].DueAt) {
			t.Errorf("the counts are %+v", stats)
		}
		if err := s.Bounced(t.Context(), "bob", true); err != nil {
			t.Fatal(err)
		}
		if got := mailOf(t, s, bob.Seq); got.State != notifier.ReachDead || !got.DueAt.Equal(db.clock.at.Add(notifier.DeadRest)) {
			t.Errorf("after its mail came back for good: %+v", got)
		}
		wantIs(t, s.Bounced(t.Context(), "nobody", true), notifier.ErrNotFound)
		stats = must(s.ReachStats(t.Context(), notifier.ReachMail))(t)
		if stats.Dead != 1 || stats.Due != 0 {
			t.Errorf("the counts are %+v", stats)
		}
	})
}

func TestATokenSetsTheAddressAndDoesNotReviveADeadOne(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token := shop(t, s, "shop")
		arrive := func(address string) notifier.ReachTarget {
			t.Helper()
			db.clock.move(time.Minute)
			u, _, _, err := s.Arrive(t.Context(), token("42", db.clock.now(), notifier.TokenProfile{Email: &address}))
			if err != nil {
				t.Fatal(err)
			}
			return mailOf(t, s, u.Seq)
		}
		first := arrive("bob@example.com")
		if again := arrive("bob@example.com"); first.Address != "bob@example.com" || again.ID != first.ID {
			t.Errorf("%+v, then %+v", first, again)
		}
		if err := s.Bounced(t.Context(), "42", true); err != nil {
			t.Fatal(err)
		}
		if dead := arrive("bob@example.com"); dead.State != notifier.ReachDead {
			t.Errorf("the dead address is %s", dead.State)
		}
		if other := arrive("robert@example.com"); other.State == notifier.ReachDead || other.Address != "robert@example.com" {
			t.Errorf("%+v", other)
		}
	})
}

func TestAnAddressOfAUserWhoWantsNoMailIsNeverDue(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		off := notifier.When{Off: true}
		if err := s.PutPreferences(t.Context(), bob.Seq, notifier.PutPreferences{Mail: &off}); err != nil {
			t.Fatal(err)
		}
		giveMail(t, s, "bob", "bob@example.com")
		db.clock.move(time.Minute)
		db.has(t, s, bob.Seq, map[string]time.Time{"like:1": db.clock.at})
		db.clock.move(time.Hour)
		if due := must(s.DueTargets(t.Context(), notifier.ReachMail, 10))(t); len(due) > 0 || mailOf(t, s, bob.Seq).State != notifier.ReachOff {
			t.Errorf("due: %+v", due)
		}
	})
}

func TestRevivedAddressesAreTriedAtOnceWithWhatIsUnread(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob, eve := addUser(t, s, "bob"), addUser(t, s, "eve")
		giveMail(t, s, "bob", "bob@example.com")
		giveMail(t, s, "eve", "eve@Sub.Example.com")
		told := mailOf(t, s, bob.Seq).Told
		for _, c := range []struct {
			which notifier.Revival
			n     int64
		}{{notifier.Revival{Seq: bob.Seq}, 1}, {notifier.Revival{Domain: "EXAMPLE.com"}, 1}, {notifier.Revival{Domain: "sub.example.com"}, 1}, {notifier.Revival{Domain: "ample.com"}, 0}, {notifier.Revival{}, 2}} {
			for _, name := range []string{"bob", "eve"} {
				if err := s.Bounced(t.Context(), name, true); err != nil {
					t.Fatal(err)
				}
			}
			db.clock.move(time.Minute)
			if n := must(s.Revive(t.Context(), c.which))(t); n != c.n {
				t.Errorf("%+v revives %d, want %d", c.which, n, c.n)
			}
		}
		own := func(permanent bool, wait time.Duration, want int64) {
			t.Helper()
			if err := s.Bounced(t.Context(), "bob", permanent); err != nil {
				t.Fatal(err)
			}
			db.clock.move(wait)
			mail := must(s.MailOf(t.Context(), bob.Seq))(t)
			if n := must(s.Revive(t.Context(), notifier.Revival{Seq: bob.Seq, Own: true}))(t); n != want || mail.Revivable(db.clock.at) != (want > 0) {
				t.Errorf("%+v after %s: bob revives %d, want %d", mail, wait, n, want)
			}
		}
		own(false, notifier.OwnRevivalWait-time.Second, 0)
		own(false, time.Second, 1)
		own(true, 0, 1)
		if n := must(s.Revive(t.Context(), notifier.Revival{Seq: bob.Seq, Own: true}))(t); n != 0 {
			t.Errorf("a second press revives %d", n)
		}
		if got := mailOf(t, s, bob.Seq); got.State != notifier.ReachOn || !got.DueAt.Equal(db.clock.at) || got.Told != told || got.Error != "" {
			t.Errorf("%+v", got)
		}
		// A user who unsubscribes gets no mail when the address is retried.
		if err := s.Bounced(t.Context(), "eve", true); err != nil {
			t.Fatal(err)
		}
		if err := s.PutPreferences(t.Context(), eve.Seq, notifier.PutPreferences{Mail: &notifier.When{Off: true}}); err != nil {
			t.Fatal(err)
		}
		db.clock.move(2 * notifier.DeadRest)
		for _, due := range must(s.DueTargets(t.Context(), notifier.ReachMail, 10))(t) {
			if due.Seq == eve.Seq {
				t.Errorf("%+v", due)
			}
		}
	})
}
