package store_test

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func postgresURL(t testing.TB) string {
	t.Helper()
	return sqltest.URL(t)
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// inOrder iterates over the calls by name: in this order, a call that deletes leaves the rows that later calls read.
func inOrder(all map[string]func(ctx context.Context) error) iter.Seq2[string, func(ctx context.Context) error] {
	return func(yield func(string, func(ctx context.Context) error) bool) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !yield(name, all[name]) {
				return
			}
		}
	}
}

// calls returns every method that reads or writes, with arguments that are valid while the database
// is available.
func calls(s *store.Store) map[string]func(ctx context.Context) error {
	now, part := time.Now(), notifier.PartKey{ID: 2, Audience: 3}
	return map[string]func(ctx context.Context) error{
		"Ping":    s.Ping,
		"Migrate": func(ctx context.Context) error { _, err := s.Migrate(ctx); return err },
		"CreateUser": func(ctx context.Context) error {
			_, err := s.CreateUser(ctx, notifier.NewUser{Name: "x", Audience: 1})
			return err
		},
		"SetPassword": func(ctx context.Context) error { _, err := s.SetPassword(ctx, "alice", "h"); return err },
		"Credentials": func(ctx context.Context) error { _, _, err := s.Credentials(ctx, "alice"); return err },
		"UserByName":  func(ctx context.Context) error { _, err := s.UserByName(ctx, "alice"); return err },
		"Users":       func(ctx context.Context) error { _, err := s.Users(ctx, notifier.UserQuery{}); return err },
		"FindUsers":   func(ctx context.Context) error { _, err := s.FindUsers(ctx, "lice", 8); return err },
		"FindRoles":   func(ctx context.Context) error { _, err := s.FindRoles(ctx, "staff", 8); return err },
		"SeqsByName":  func(ctx context.Context) error { _, _, err := s.SeqsByName(ctx, []string{"alice"}); return err },
		"ExportUser":  func(ctx context.Context) error { _, err := s.ExportUser(ctx, "alice"); return err },
		"DeleteUser":  func(ctx context.Context) error { _, err := s.DeleteUser(ctx, "leaver"); return err },
		"Deletions":   func(ctx context.Context) error { _, err := s.Deletions(ctx, 1); return err },
		"EndDeletion": func(ctx context.Context) error { return s.EndDeletion(ctx, 99) },
		"Forget":      func(ctx context.Context) error { return s.Forget(ctx, notifier.Deletion{Seq: 99}, nil, nil) },
		"BeginDeletion": func(ctx context.Context) error {
			_, _, err := s.BeginDeletion(ctx, "another leaver")
			return err
		},
		"AddRole":     func(ctx context.Context) error { return s.AddRole(ctx, "alice", "r") },
		"RemoveRole":  func(ctx context.Context) error { return s.RemoveRole(ctx, "alice", "staff") },
		"RoleMembers": func(ctx context.Context) error { _, err := s.RoleMembers(ctx, "staff"); return err },
		"ImportUsers": func(ctx context.Context) error { _, err := s.ImportUsers(ctx, 1, file(many(1)), nil); return err },
		"Notice":      func(ctx context.Context) error { _, err := s.Notice(ctx, 1); return err },
		"Notices":     func(ctx context.Context) error { _, err := s.Notices(ctx, notifier.NoticeQuery{Limit: 1}); return err },
		"Announce": func(ctx context.Context) error {
			n := lasting("new")
			return s.Announce(ctx, &n)
		},
		"EditAnnouncement": func(ctx context.Context) error {
			n := lasting("edited")
			n.ID = 2
			return s.EditAnnouncement(ctx, notifier.Actor{}, &n)
		},
		"RetractAnnouncement":  func(ctx context.Context) error { return s.RetractAnnouncement(ctx, notifier.Actor{}, 3) },
		"DeleteAnnouncement":   func(ctx context.Context) error { return s.DeleteAnnouncement(ctx, notifier.Actor{}, 4) },
		"Announcements":        func(ctx context.Context) error { _, err := s.Announcements(ctx, []int64{2}); return err },
		"CurrentAnnouncements": func(ctx context.Context) error { _, err := s.CurrentAnnouncements(ctx); return err },
		"AnnouncementRevision": func(ctx context.Context) error { _, err := s.AnnouncementRevision(ctx); return err },
		"AudienceSize":         func(ctx context.Context) error { _, err := s.AudienceSize(ctx, []notifier.Audience{3}, 0); return err },
		"SettleTop":            func(ctx context.Context) error { _, err := s.SettleTop(ctx, part); return err },
		"SaveReads":            func(ctx context.Context) error { return s.SaveReads(ctx, []notifier.ReadSegment{{PartKey: part}}) },
		"Reads":                func(ctx context.Context) error { _, err := s.Reads(ctx, part); return err },
		"SaveSnapshots":        func(ctx context.Context) error { return s.SaveSnapshots(ctx, []notifier.Snapshot{{Seq: 1, Ver: 1}}) },
		"Snapshots":            func(ctx context.Context) error { _, err := s.Snapshots(ctx, []int64{1}); return err },
		"Contents":             func(ctx context.Context) error { _, err := s.Contents(ctx, []int64{1}); return err },
		"SaveCounts":           func(ctx context.Context) error { return s.SaveCounts(ctx, []notifier.NoticeCount{{NoticeID: 1}}) },
		"SnapshotVers":         func(ctx context.Context) error { _, err := s.SnapshotVers(ctx, 0, 0, 1); return err },
		"VersOf":               func(ctx context.Context) error { _, err := s.VersOf(ctx, []int64{1}); return err },
		"NoticeCounts":         func(ctx context.Context) error { _, err := s.NoticeCounts(ctx, 0, 0, 1); return err },
		"CountsOf":             func(ctx context.Context) error { _, err := s.CountsOf(ctx, []int64{1}); return err },
		"Over":                 func(ctx context.Context) error { _, err := s.Over(ctx, []int64{1}, now); return err },
		"KnownRuns":            func(ctx context.Context) error { _, err := s.KnownRuns(ctx); return err },
		"AddRun":               func(ctx context.Context) error { return s.AddRun(ctx, "r", now) },
		"SetFlushed":           func(ctx context.Context) error { return s.SetFlushed(ctx, map[int]time.Time{0: now}) },
		"Flushed":              func(ctx context.Context) error { _, err := s.Flushed(ctx, 1); return err },
		"FinishPart": func(ctx context.Context) error {
			return s.FinishPart(ctx, notifier.PartKey{ID: 5, Audience: 3}, 1)
		},
		"AcceptAll": func(ctx context.Context) error {
			return s.AcceptAll(ctx, notifier.Deed{}, []*notifier.Acceptance{request("o", "k", "1")})
		},
		"Accepted":     func(ctx context.Context) error { _, err := s.Accepted(ctx, []int64{1}); return err },
		"Confirm":      func(ctx context.Context) error { _, err := s.Confirm(ctx, []notifier.Revised{{ID: 99}}); return err },
		"Since":        func(ctx context.Context) error { _, err := s.Since(ctx, now, 0, 1); return err },
		"ForgetKeys":   func(ctx context.Context) error { _, err := s.ForgetKeys(ctx, time.Unix(0, 0)); return err },
		"EndOldest":    func(ctx context.Context) error { _, err := s.EndOldest(ctx, 1, 1); return err },
		"TrimAudit":    func(ctx context.Context) error { _, err := s.TrimAudit(ctx, time.Unix(0, 0)); return err },
		"SaveDraft":    func(ctx context.Context) error { return s.SaveDraft(ctx, notifier.SavedDraft{Author: 1, ID: "d"}) },
		"SavedDrafts":  func(ctx context.Context) error { _, err := s.SavedDrafts(ctx, 1); return err },
		"SavedDraft":   func(ctx context.Context) error { _, err := s.SavedDraft(ctx, 1, "d"); return err },
		"DeleteDraft":  func(ctx context.Context) error { return s.DeleteDraft(ctx, 1, "d") },
		"RestoreDraft": func(ctx context.Context) error { return s.RestoreDraft(ctx, 1, "d") },
		"SaveTemplate": func(ctx context.Context) error {
			return s.SaveTemplate(ctx, notifier.SavedDraft{Author: 1, ID: "t", Name: "n"})
		},
		"Templates":     func(ctx context.Context) error { _, err := s.Templates(ctx); return err },
		"Targets":       func(ctx context.Context) error { _, err := s.Targets(ctx, 1); return err },
		"User":          func(ctx context.Context) error { _, err := s.User(ctx, 1); return err },
		"MailOf":        func(ctx context.Context) error { _, err := s.MailOf(ctx, 1); return err },
		"MailAddresses": func(ctx context.Context) error { _, err := s.MailAddresses(ctx, []int64{1}); return err },
		"SearchUsers": func(ctx context.Context) error {
			_, _, err := s.SearchUsers(ctx, notifier.UserQuery{Limit: 1}, time.Second)
			return err
		},
		"MailFaults":     func(ctx context.Context) error { _, err := s.MailFaults(ctx, []int64{1}); return err },
		"Holds":          func(ctx context.Context) error { _, err := s.Holds(ctx, &notifier.ReachTarget{}); return err },
		"SwitchOff":      func(ctx context.Context) error { _, err := s.SwitchOff(ctx, "t"); return err },
		"TokenUser":      func(ctx context.Context) error { _, _, err := s.TokenUser(ctx, "t"); return err },
		"ReaderApps":     func(ctx context.Context) error { _, _, err := s.ReaderApps(ctx, 1, notifier.Ref{}); return err },
		"Bounced":        func(ctx context.Context) error { return s.Bounced(ctx, "alice", true) },
		"Revive":         func(ctx context.Context) error { _, err := s.Revive(ctx, notifier.Revival{}); return err },
		"Preferences":    func(ctx context.Context) error { _, err := s.Preferences(ctx, 1); return err },
		"PutPreferences": func(ctx context.Context) error { return s.PutPreferences(ctx, 1, notifier.PutPreferences{}) },
		"DueTargets":     func(ctx context.Context) error { _, err := s.DueTargets(ctx, notifier.ReachMail, 1); return err },
		"ReachStats":     func(ctx context.Context) error { _, err := s.ReachStats(ctx, notifier.ReachMail); return err },
		"Step": func(ctx context.Context) error {
			return s.Step(ctx, []*notifier.ReachStep{{Was: &notifier.ReachTarget{}}})
		},
		"TrimDrafts":        func(ctx context.Context) error { _, err := s.TrimDrafts(ctx, time.Unix(0, 0)); return err },
		"Bury":              func(ctx context.Context) error { _, err := s.Bury(ctx, 0, 0, notifier.DeadLetter{}); return err },
		"DeadLetters":       func(ctx context.Context) error { _, err := s.DeadLetters(ctx, 0, 1); return err },
		"DeadLetter":        func(ctx context.Context) error { _, err := s.DeadLetter(ctx, 1); return err },
		"DiscardDeadLetter": func(ctx context.Context) error { return s.DiscardDeadLetter(ctx, notifier.Actor{}, 2) },
		"CountDeadLetters":  func(ctx context.Context) error { _, err := s.CountDeadLetters(ctx); return err },
		"DeadLettersOf":     func(ctx context.Context) error { _, err := s.DeadLettersOf(ctx, 1); return err },
		"SetRecipients":     func(ctx context.Context) error { _, err := s.SetRecipients(ctx, 1, roaring.New()); return err },
		"Recipients":        func(ctx context.Context) error { _, err := s.Recipients(ctx, 1); return err },
		"FirstRecipients":   func(ctx context.Context) error { _, err := s.FirstRecipients(ctx, []int64{1}); return err },
		"UserNames":         func(ctx context.Context) error { _, err := s.UserNames(ctx, roaring.BitmapOf(1)); return err },
		"UserLog":           func(ctx context.Context) error { _, err := s.UserLog(ctx, 1, 1); return err },
		"LastSeen":          func(ctx context.Context) error { _, err := s.LastSeen(ctx, []int64{1}); return err },
		"CountMatches":      func(ctx context.Context) error { _, _, err := s.CountMatches(ctx, notifier.UserQuery{}, 0); return err },
		"ChangeMembers": func(ctx context.Context) error {
			_, err := s.ChangeMembers(ctx, notifier.Actor{}, notifier.Membership{Role: "r"}, []int64{1})
			return err
		},
		"CountUsers":       func(ctx context.Context) error { _, err := s.CountUsers(ctx); return err },
		"NoticeLog":        func(ctx context.Context) error { _, err := s.NoticeLog(ctx, 1, 1); return err },
		"SetMute":          func(ctx context.Context) error { return s.SetMute(ctx, 1, "like", true) },
		"Mutes":            func(ctx context.Context) error { _, err := s.Mutes(ctx, 1); return err },
		"Addressees":       func(ctx context.Context) error { _, _, err := s.Addressees(ctx, "like", []string{"alice"}); return err },
		"MutedBy":          func(ctx context.Context) error { _, err := s.MutedBy(ctx, "like", roaring.BitmapOf(1)); return err },
		"ClaimNotices":     func(ctx context.Context) error { _, err := s.ClaimNotices(ctx, notifier.Claim{}, 1); return err },
		"ClaimWork":        func(ctx context.Context) error { _, err := s.ClaimWork(ctx, notifier.Claim{}, 1); return err },
		"Renew":            func(ctx context.Context) error { return s.Renew(ctx, notifier.Claim{}, []int64{1}, []int64{1}) },
		"GiveBack":         func(ctx context.Context) error { return s.GiveBack(ctx, 1, []int64{1}, []int64{1}) },
		"GiveBackAll":      func(ctx context.Context) error { return s.GiveBackAll(ctx, 1) },
		"Retry":            func(ctx context.Context) error { return s.Retry(ctx, 1, notifier.Work{}, time.Unix(0, 0), "") },
		"AddWork":          func(ctx context.Context) error { return s.AddWork(ctx, notifier.Work{Kind: notifier.WorkResend}) },
		"AdvanceWork":      func(ctx context.Context) error { _, err := s.AdvanceWork(ctx, notifier.Claim{}, 99, 1); return err },
		"FinishWork":       func(ctx context.Context) error { return s.FinishWork(ctx, 1, 99) },
		"Resending":        func(ctx context.Context) error { _, err := s.Resending(ctx); return err },
		"CountWork":        func(ctx context.Context) error { _, err := s.CountWork(ctx, 1); return err },
		"Passed":           func(ctx context.Context) error { _, err := s.Passed(ctx, 1, 1); return err },
		"ReplayDeadLetter": func(ctx context.Context) error { return s.ReplayDeadLetter(ctx, notifier.Actor{}, 1, notifier.Work{}) },
		"Unfinished":       func(ctx context.Context) error { _, err := s.Unfinished(ctx, 0, 1); return err },
		"Backlog":          func(ctx context.Context) error { _, err := s.Backlog(ctx); return err },
		"Advance": func(ctx context.Context) error {
			return s.Advance(ctx, notifier.Claim{}, 1, 0, notifier.StateSending, 1)
		},
		"Move": func(ctx context.Context) error {
			_, err := s.Move(ctx, 1, 0, notifier.StateAccepted, notifier.StateSending)
			return err
		},
		"RetractNotice": func(ctx context.Context) error {
			_, err := s.RetractNotice(ctx, notifier.Actor{}, 1, notifier.StateAccepted, notifier.StateSending)
			return err
		},
		"CreateSession": func(ctx context.Context) error {
			return s.CreateSession(ctx, "new", notifier.Signed{User: notifier.User{Seq: 1}}, now)
		},
		"Sessions":      func(ctx context.Context) error { _, err := s.Sessions(ctx, []string{"a"}); return err },
		"IDToken":       func(ctx context.Context) error { _, err := s.IDToken(ctx, "a"); return err },
		"TouchSessions": func(ctx context.Context) error { return s.TouchSessions(ctx, []string{"a"}, now) },
		"EndSession":    func(ctx context.Context) error { _, err := s.EndSession(ctx, "b"); return err },
		"EndSessions":   func(ctx context.Context) error { _, err := s.EndSessions(ctx, 2); return err },
		"EndedSessions": func(ctx context.Context) error { _, err := s.EndedSessions(ctx, 1); return err },
		"ToldEnded":     func(ctx context.Context) error { return s.ToldEnded(ctx, []string{"a"}) },
		"ChangedUser":   func(ctx context.Context) error { _, _, err := s.ChangedUser(ctx, 1); return err },
		"ChangedUsers":  func(ctx context.Context) error { _, err := s.ChangedUsers(ctx, now, 1); return err },
		"ToldChange":    func(ctx context.Context) error { return s.ToldChange(ctx, notifier.ChangedUser{Seq: 1}) },
		"LiveSessions": func(ctx context.Context) error {
			_, err := s.LiveSessions(ctx, []string{"a"}, notifier.SessionLimits{Since: now, Seen: now, Now: now})
			return err
		},
		"PurgeSessions": func(ctx context.Context) error { _, err := s.PurgeSessions(ctx, notifier.SessionLimits{}); return err },
		"Audit":         func(ctx context.Context) error { return s.Audit(ctx, notifier.AuditEntry{}) },
		"AuditLog":      func(ctx context.Context) error { _, err := s.AuditLog(ctx, 0, 1); return err },
	}
}

// furnish creates the rows that calls refers to.
func furnish(t *testing.T, s *store.Store) {
	t.Helper()
	alice := addUser(t, s, "alice", "staff")
	addUser(t, s, "leaver")
	addUser(t, s, "another leaver")
	for range 2 {
		if _, err := s.Bury(t.Context(), 0, 0, notifier.DeadLetter{}); err != nil {
			t.Fatal(err)
		}
	}
	n := accept(t, s, draft())
	must(s.SetRecipients(t.Context(), n.ID, roaring.BitmapOf(1)))(t)
	if err := s.CreateSession(t.Context(), "a", notifier.Signed{User: alice}, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"to be edited", "to be retracted", "to be deleted", "to be finished"} {
		announce(t, s, lasting(title))
	}
	for _, id := range []int64{4, 5} {
		if err := s.RetractAnnouncement(t.Context(), notifier.Actor{}, id); err != nil {
			t.Fatal(err)
		}
	}
}

// lasting returns an announcement that does not end within any test.
func lasting(title string) notifier.Notice {
	return notifier.Notice{Draft: notifier.Draft{
		Target: notifier.Target{Audiences: []notifier.Audience{3}}, Type: "news", Title: title,
		Window: notifier.Window{StartsAt: time.Unix(0, 0), EndsAt: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
	}}
}

func TestEveryMethodReturnsErrUnavailableWhenTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	url := sqltest.OwnURL(t)
	pg := must(store.Open(t.Context(), store.Config{URL: url}))(t)
	t.Cleanup(func() { _ = pg.Close() })
	lite := must(store.Open(t.Context(), store.Config{DataDir: t.TempDir()}))(t)
	furnish(t, pg)
	furnish(t, lite)
	sqltest.Cut(t, url)
	for name, call := range inOrder(calls(pg)) {
		err := call(t.Context())
		if !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("PostgreSQL is unavailable: %s = %v; want ErrUnavailable", name, err)
		}
		// A server logs the errors of these methods, so they must not name users. Errors of methods called by
		// commands may.
		command := slices.Contains([]string{"CreateUser", "SetPassword", "AddRole", "RemoveRole", "ImportUsers"}, name)
		if err != nil && !command && strings.Contains(err.Error(), "alice") {
			t.Errorf("PostgreSQL is unavailable: the error of %s names a user: %v", name, err)
		}
	}
	sqltest.Mend(t, url)
	for name, call := range inOrder(calls(pg)) {
		if slices.Contains([]string{"Session", "SavedDraft", "DeleteDraft", "RestoreDraft", "SwitchOff", "Bounced", "TokenUser"}, name) { // SetPassword may have ended the session, another call may have deleted the draft, and there are no targets
			continue
		}
		if err := call(t.Context()); err != nil {
			t.Errorf("PostgreSQL is back: %s = %v", name, err)
		}
	}
	if err := lite.Close(); err != nil {
		t.Fatal(err)
	}
	for name, call := range inOrder(calls(lite)) {
		if err := call(t.Context()); !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("SQLite is closed: %s = %v; want ErrUnavailable", name, err)
		}
	}
}

// The short statements of a transaction run without its context.
func TestATransactionEndedByItsContextReturnsTheContextsError(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ctx, cancel := contextOf(t)
		wantIs(t, s.Tx(ctx, func(tx *sql.Tx) error {
			cancel()
			for {
				if _, err := tx.ExecContext(context.WithoutCancel(ctx), `SELECT 1`); err != nil {
					return err
				}
			}
		}), context.Canceled)
	})
}

func TestEveryMethodEndsWithItsContext(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		furnish(t, s)
		ctx, cancel := contextOf(t)
		cancel()
		for name, call := range inOrder(calls(s)) {
			err := call(ctx)
			wantIs(t, err, context.Canceled)
			if errors.Is(err, notifier.ErrUnavailable) {
				t.Errorf("%s reports a canceled context as a database failure: %v", name, err)
			}
		}
	})
}
