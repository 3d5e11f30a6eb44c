package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gorilla "github.com/gorilla/sessions"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
)

type sessions struct {
	current func(r *http.Request) (notifier.Signed, bool, error)
	signIn  func(u notifier.User) error
	signOut func() error

	signInCookie *http.Cookie // nil: none is set
}

func (s *sessions) Get(r *http.Request, name string) (*gorilla.Session, error) {
	return gorilla.GetRegistry(r).Get(s, name)
}

func (s *sessions) New(r *http.Request, name string) (*gorilla.Session, error) {
	session := gorilla.NewSession(s, name)
	session.Options = &gorilla.Options{}
	signed, ok, err := s.current(r)
	if ok {
		session.ID, session.Values[notifier.SessionUser] = signed.ID, signed
	}
	return session, err
}

func (s *sessions) Save(_ *http.Request, w http.ResponseWriter, session *gorilla.Session) error {
	if session.Options.MaxAge < 0 {
		return s.signOut()
	}
	signed, ok := session.Values[notifier.SessionUser].(notifier.Signed)
	if !ok || session.ID != "" {
		return fmt.Errorf("session %q of %v is not a new one", session.ID, session.Values)
	}
	if s.signInCookie != nil {
		http.SetCookie(w, s.signInCookie)
	}
	return s.signIn(signed.User)
}

type signIns func(username, password, address string) (notifier.User, error)

func (g signIns) Attempt(context.Context, string) (func(), error) { return func() {}, nil }

func (g signIns) Check(_ *http.Request, username, password, address string) (notifier.User, *http.Cookie, error) {
	user, err := g(username, password, address)
	if err != nil {
		return user, nil, err
	}
	return user, &http.Cookie{Name: "carillon_device", Value: "of " + user.Name}, nil
}

// noAsks has no question.
var noAsks asks = func(notifier.Answering) (notifier.Question, notifier.AskAnswer, error) {
	return notifier.Question{}, notifier.AskAnswer{}, notifier.ErrNotFound
}

// asks answers questions with a function.
type asks func(notifier.Answering) (notifier.Question, notifier.AskAnswer, error)

func (a asks) Answer(_ context.Context, _ notifier.Actor, is notifier.Answering) (notifier.Question, notifier.AskAnswer, error) {
	return a(is)
}

func (asks) OpenFor(context.Context, int64) []notifier.OpenAsk { return nil }

// noTasks has no task.
var noTasks tasks = func(notifier.Taking) (notifier.Task, error) { return notifier.Task{}, notifier.ErrNotFound }

// tasks decides with a function.
type tasks func(notifier.Taking) (notifier.Task, error)

func (t tasks) Do(_ context.Context, _ notifier.Actor, is notifier.Taking) (notifier.Task, error) {
	return t(is)
}

type inbox struct {
	open    func(seq int64) (notifier.Page, error)
	look    func(seq int64, q notifier.Query) (notifier.Page, error)
	change  func(verb string, seq int64, arg string) (notifier.Badge, error)
	take    func(seq int64, key string) (notifier.Entry, error)
	restore func(seq int64, key string) error
	find    func(seq int64, key string, opened int64) (notifier.Entry, error)
	badge   func(seq int64) (notifier.Badge, error)
	called  func(seqs []int64) // each call of Badges; nil: nothing
	move    func(verb string, seq int64, keys []string) (notifier.Moved, error)
	snoozed int64
}

func (b *inbox) Archive(_ context.Context, seq int64, keys []string) (notifier.Moved, notifier.Badge, error) {
	m, err := b.move("archive", seq, keys)
	return m, notifier.Badge{}, err
}

func (b *inbox) Unarchive(_ context.Context, seq int64, keys []string) (notifier.Moved, notifier.Badge, error) {
	m, err := b.move("unarchive", seq, keys)
	return m, notifier.Badge{}, err
}

func (b *inbox) Snooze(_ context.Context, seq int64, key string, until time.Time) (notifier.Badge, error) {
	_, err := b.move("snooze until "+until.Format(time.RFC3339), seq, []string{key})
	return notifier.Badge{}, err
}

func (b *inbox) Wake(_ context.Context, seq int64, key string) (notifier.Badge, error) {
	_, err := b.move("wake", seq, []string{key})
	return notifier.Badge{}, err
}

func (b *inbox) Snoozed(context.Context, int64) (int64, error) { return b.snoozed, nil }

func (b *inbox) FindAll(_ context.Context, seq int64, keys []string, opened int64) (found []notifier.Entry, err error) {
	for _, key := range keys {
		if e, err := b.find(seq, key, opened); err == nil {
			found = append(found, e)
		}
	}
	return found, nil
}

func (b *inbox) NoticeOf(_ context.Context, seq int64, key string) (int64, error) {
	e, err := b.find(seq, key, 0)
	return e.NoticeID, err
}

func (b *inbox) Open(_ context.Context, seq int64) (notifier.Page, error) { return b.open(seq) }

func (b *inbox) Look(_ context.Context, seq int64, q notifier.Query) (notifier.Page, error) {
	return b.look(seq, q)
}

func (b *inbox) MarkRead(_ context.Context, seq int64, keys ...string) ([]string, notifier.Badge, error) {
	badge, err := b.change("read", seq, strings.Join(keys, " "))
	return keys, badge, err
}

// Types returns nothing: a page with a whole inbox counts the types itself.
func (*inbox) Types(context.Context, int64, bool) ([]notifier.TypeCount, error) { return nil, nil }

func (b *inbox) MarkUnread(_ context.Context, seq int64, keys ...string) ([]string, notifier.Badge, error) {
	badge, err := b.change("unread", seq, strings.Join(keys, " "))
	return keys, badge, err
}

func (b *inbox) Unread(_ context.Context, seq int64, keys ...string) (notifier.Badge, error) {
	return b.change("unread again", seq, strings.Join(keys, " "))
}

func (b *inbox) Follow(_ context.Context, seq int64, key string, _ int64) (notifier.Badge, error) {
	return b.change("follow", seq, key)
}

func (b *inbox) ReadUpto(_ context.Context, seq int64, upto string) (notifier.Badge, error) {
	return b.change("upto", seq, upto)
}

func (b *inbox) Take(_ context.Context, seq int64, keys ...string) (entries []notifier.Entry, _ notifier.Badge, err error) {
	for _, key := range keys {
		e, takeErr := b.take(seq, key)
		if takeErr != nil {
			err = takeErr
			continue
		}
		entries = append(entries, e)
	}
	if len(entries) > 0 {
		err = nil
	}
	return entries, notifier.Badge{}, err
}

func (b *inbox) Restore(_ context.Context, seq int64, keys ...string) (notifier.Badge, error) {
	for _, key := range keys {
		if err := b.restore(seq, key); err != nil {
			return notifier.Badge{}, err
		}
	}
	return notifier.Badge{}, nil
}

func (b *inbox) Find(_ context.Context, seq int64, key string, opened int64) (notifier.Entry, error) {
	return b.find(seq, key, opened)
}

func (b *inbox) Badges(_ context.Context, seqs []int64) ([]notifier.Badge, error) {
	if b.called != nil {
		b.called(seqs)
	}
	badges := make([]notifier.Badge, len(seqs))
	for i, seq := range seqs {
		var err error
		if badges[i], err = b.badge(seq); err != nil {
			return nil, err
		}
	}
	return badges, nil
}

// sender is a fake of everything but dead letters.
type sender struct {
	*notices.Notices
	audit    *audit
	send     func(d notifier.Draft) (notifier.Notice, error)
	sendOnce func(d notifier.Draft, once *notifier.Once) (notifier.Notice, error) // nil: send
	count    func(d notifier.Draft) (int64, error)
	retract  func(id int64) error
	progress func(id int64) (notifier.Progress, error)

	confirmed  atomic.Int64 // calls of Confirm
	progressOf func(notices []notifier.Notice) ([]notifier.Progress, error)

	edit   func(id, revision int64, d notifier.Draft) (notifier.Notice, error)
	unread []int64 // the IDs of calls to EditUnread
	remove func(id int64) error

	receipts func(id int64) []notifier.Receipt // nil: none
	remind   func(r notifier.Reminder) (notifier.Notice, int64, error)
}

func (s *sender) Remind(_ context.Context, by notifier.Actor, r notifier.Reminder) (notifier.Notice, int64, error) {
	n, to, err := s.remind(r)
	if n.ID > 0 {
		s.audit.deed(by, "notice.remind", notifier.NoticeRef(r.NoticeID), "", err)
	}
	return n, to, err
}

func (s *sender) Edit(_ context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error) {
	n, err := s.edit(id, revision, d)
	s.audit.deed(by, "notice.edit", notifier.NoticeRef(id), "", err)
	return n, err
}

// EditUnread is Edit, and records the ID.
func (s *sender) EditUnread(_ context.Context, by notifier.Actor, id, revision int64, d notifier.Draft) (notifier.Notice, error) {
	s.unread = append(s.unread, id)
	n, err := s.edit(id, revision, d)
	s.audit.deed(by, "notice.edit", notifier.NoticeRef(id), "unread for everybody", err)
	return n, err
}

func (s *sender) Delete(_ context.Context, by notifier.Actor, id int64) error {
	err := s.remove(id)
	s.audit.deed(by, "notice.delete", notifier.NoticeRef(id), "", err)
	return err
}

func (s *sender) Send(_ context.Context, by notifier.Actor, c notifier.Confirmed, once *notifier.Once) (n notifier.Notice, err error) {
	if s.sendOnce != nil {
		n, err = s.sendOnce(c.Draft, once)
	} else {
		n, err = s.send(c.Draft)
	}
	s.audit.deed(by, "notice.send", notifier.NoticeRef(n.ID), "", err)
	return n, err
}

func (s *sender) SendTest(_ context.Context, by notifier.Actor, c notifier.Confirmed) (notifier.Notice, error) {
	n, err := s.send(c.Draft)
	s.audit.deed(by, "notice.send", notifier.NoticeRef(n.ID), "test", err)
	return n, err
}

// Confirm validates a draft like package notices, but returns it unchanged.
func (s *sender) Confirm(_ context.Context, d notifier.Draft) (notifier.Confirmed, error) {
	s.confirmed.Add(1)
	valid := d
	var bad, unknown *notifier.InvalidError
	if errors.As(valid.Validate(notifier.Limits{}), &bad) && bad.Has("to", "target") {
		return notifier.Confirmed{}, bad
	}
	n, err := s.count(valid)
	switch {
	case bad == nil:
		return notifier.Confirmed{Draft: d, Recipients: n}, err
	case errors.As(err, &unknown):
		bad.Fields = append(unknown.Fields, bad.Fields...)
	case err != nil:
		return notifier.Confirmed{}, err
	}
	return notifier.Confirmed{Recipients: n}, bad
}

func (s *sender) Retract(_ context.Context, by notifier.Actor, id int64) error {
	err := s.retract(id)
	s.audit.deed(by, "notice.retract", notifier.NoticeRef(id), "", err)
	return err
}

func (s *sender) Progress(_ context.Context, id int64) (notifier.Progress, error) {
	return s.progress(id)
}

func (s *sender) ProgressOf(_ context.Context, notices []notifier.Notice) ([]notifier.Progress, error) {
	return s.progressOf(notices)
}

// Receipts returns the notice's receipts.
func (s *sender) Receipts(_ context.Context, n *notifier.Notice, most int64) ([]notifier.Receipt, error) {
	if s.receipts == nil || n.Recipients > most {
		return nil, nil
	}
	return s.receipts(n.ID), nil
}

// sentNotices is a fake of the notices in SQL.
type sentNotices struct {
	log     []notifier.AuditEntry // of every notice
	notices func(q notifier.NoticeQuery) ([]notifier.Notice, error)
	reached notifier.Reached // where searches end
	notice  func(id int64) (notifier.Notice, error)
	traffic func(q notifier.TrafficQuery) ([]notifier.Traffic, int64)
}

func (d *sentNotices) Traffic(_ context.Context, q notifier.TrafficQuery, _ time.Duration) ([]notifier.Traffic, int64, error) {
	if d.traffic == nil {
		return nil, 0, nil
	}
	found, next := d.traffic(q)
	return found, next, nil
}

func (d *sentNotices) Notice(_ context.Context, id int64) (notifier.Notice, error) {
	return d.notice(id)
}

func (d *sentNotices) NoticeLog(context.Context, int64, int) ([]notifier.AuditEntry, error) {
	return d.log, nil
}

func (d *sentNotices) Notices(_ context.Context, q notifier.NoticeQuery) ([]notifier.Notice, error) {
	return d.notices(q)
}

func (d *sentNotices) SearchNotices(_ context.Context, q notifier.NoticeQuery, _ time.Duration) ([]notifier.Notice, notifier.Reached, error) {
	found, err := d.notices(q)
	return found, d.reached, err
}

type stream func(w http.ResponseWriter, seq int64, session string) error

func (s stream) Serve(w http.ResponseWriter, _ *http.Request, who notifier.Reader, of notifier.StreamOf) error {
	return s(w, who.Seq, of.Session)
}

type streamOf func(of notifier.StreamOf)

func (s streamOf) Serve(_ http.ResponseWriter, _ *http.Request, _ notifier.Reader, of notifier.StreamOf) error {
	s(of)
	return nil
}

type announcements struct {
	list   func(r notifier.Reader) (notifier.OpenAnnouncements, error)
	find   func(r notifier.Reader, id int64) (notifier.OpenAnnouncement, error)
	change func(verb string, r notifier.Reader, id int64) (notifier.Badge, error)
	all    func(r notifier.Reader) ([]int64, notifier.Badge, error)
}

func (a *announcements) List(_ context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error) {
	return a.list(r)
}

func (a *announcements) Badges(_ context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	badges := make([]notifier.Badge, len(readers))
	for i, r := range readers {
		open, err := a.list(r)
		if err != nil {
			return nil, err
		}
		badges[i] = open.Badge()
	}
	return badges, nil
}

func (a *announcements) Find(_ context.Context, r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
	return a.find(r, id)
}

func (a *announcements) MarkRead(_ context.Context, r notifier.Reader, id int64) (notifier.Badge, error) {
	return a.change("read", r, id)
}

func (a *announcements) MarkUnread(_ context.Context, r notifier.Reader, id int64) (notifier.Badge, error) {
	return a.change("unread", r, id)
}

func (a *announcements) ReadAll(_ context.Context, r notifier.Reader) ([]int64, notifier.Badge, error) {
	return a.all(r)
}

type health struct {
	ready notifier.Readiness
	redis error
}

func (h *health) Ready(context.Context) notifier.Readiness { return h.ready }
func (h *health) Redis(context.Context) error              { return h.redis }

type audit struct {
	mu      sync.Mutex
	entries []notifier.AuditEntry
	err     error
}

func (a *audit) Audit(_ context.Context, e notifier.AuditEntry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entries = append(a.entries, e)
	return a.err
}

// deed records an action that did not fail, as the store does.
func (a *audit) deed(by notifier.Actor, action string, object notifier.Ref, detail string, err error) {
	if err != nil || a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entries = append(a.entries, notifier.AuditEntry{Actor: by.Ref, Action: action, Object: object, Detail: detail, Address: by.Address})
}
