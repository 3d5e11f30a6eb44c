package handlers_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// someOnce is a token in the format of the form.
const someOnce = "AbC-dEf_0123456789xyzA"

var oncePattern = regexp.MustCompile(`\A[A-Za-z0-9_-]{22}\z`)

// once returns the token of the form on a page.
func (r reply) once(t *testing.T) string {
	t.Helper()
	token := r.attr("#send input[type=hidden][name=once]", "value")
	if !oncePattern.MatchString(token) {
		t.Errorf("the form has the token %q", token)
	}
	return token
}

// ledger accepts requests like package notices: a repeated key returns its first notice.
type ledger struct {
	mu    sync.Mutex
	known map[string]notifier.Once
	ids   map[string]int64
	sent  []notifier.Draft
	asked []*notifier.Once
	after error // returned although the notice is stored
}

func (l *ledger) sendOnce(d notifier.Draft, once *notifier.Once) (notifier.Notice, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, once)
	id := int64(len(l.sent) + 1)
	if once != nil {
		key := once.Owner.Token() + "\n" + once.Key
		if before, ok := l.known[key]; ok {
			if !bytes.Equal(before.Digest, once.Digest) {
				return notifier.Notice{}, fmt.Errorf("accept: %w", notifier.ErrOtherRequest)
			}
			return notifier.Notice{ID: l.ids[key]}, l.after
		}
		l.known[key], l.ids[key] = *once, id
	}
	l.sent = append(l.sent, d)
	return notifier.Notice{ID: id}, l.after
}

func ledgerWorld(t *testing.T, recipients int64) (*world, *ledger) {
	t.Helper()
	l := &ledger{known: map[string]notifier.Once{}, ids: map[string]int64{}}
	w := sendWorld(t, recipients, &[]notifier.Draft{})
	w.sender.sendOnce = l.sendOnce
	return w, l
}

func (l *ledger) wantSent(t *testing.T, when string, want int) {
	t.Helper()
	if len(l.sent) != want {
		t.Errorf("%s: %d notices were sent, want %d", when, len(l.sent), want)
	}
}

func TestEachFormHasItsOwnTokenAndKeepsItWhenReturned(t *testing.T) {
	t.Parallel()
	w, _ := ledgerWorld(t, 1234)
	first, next := w.get("carol", "/staff/send").once(t), w.get("carol", "/staff/send").once(t)
	if first == next {
		t.Error("two forms have the same token")
	}
	form := with(goodForm, "once", someOnce)
	for name, r := range map[string]reply{
		"faults":         w.post("carol", "/staff/send", with(form, "title", "")...),
		"a confirmation": w.post("carol", "/staff/send", form...),
		"a preview":      w.post("carol", "/staff/send", with(form, "preview", "1")...),
		"another user":   w.post("carol", "/staff/send", with(form, "page_user", "dora")...),
	} {
		if got := r.once(t); got != someOnce {
			t.Errorf("after %s the form has the token %s", name, got)
		}
	}
	for _, token := range badTokens {
		if got := w.post("carol", "/staff/send", with(form, "once", token)...).once(t); got == token {
			t.Errorf("the invalid token %q is kept", token)
		}
	}
	if w.get("carol", "/staff/send?once="+someOnce).once(t) == someOnce {
		t.Error("the query sets the form's token")
	}
}

// badTokens do not have our format.
var badTokens = []string{
	"", "a", someOnce + "A", someOnce[1:], someOnce[1:] + "+", someOnce[1:] + "/", someOnce[1:] + "=", someOnce[1:] + "\n", someOnce[1:] + ":",
}

func TestFormSubmittedTwiceSendsOnce(t *testing.T) {
	t.Parallel()
	for name, form := range map[string][]string{
		"a notice":        goodForm,
		"an announcement": {"target", "audience", "to", "customer", "title", "Hello", "ends_at", "2026-11-24T12:00", "pinned", "1"},
	} {
		w, l := ledgerWorld(t, 2)
		token := w.get("carol", "/staff/send").once(t)
		for range 2 {
			w.post("carol", "/staff/send", with(form, "once", token)...).wantRedirect(t, "/staff/notices/1")
		}
		l.wantSent(t, name+", twice", 1)
		once := l.asked[0]
		if !once.Owner.Is(notifier.UserRef(carol)) || once.Key != token || len(once.Digest) != sha256.Size {
			t.Errorf("%s: SendOnce got %+v", name, once)
		}
		next := w.get("carol", "/staff/send").once(t)
		w.post("carol", "/staff/send", with(form, "once", next)...).wantRedirect(t, "/staff/notices/2")
	}
}

func TestOneOfAHundredConcurrentSubmissionsSends(t *testing.T) {
	t.Parallel()
	w, l := ledgerWorld(t, 2)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			w.post("carol", "/staff/send", with(goodForm, "once", someOnce)...).wantRedirect(t, "/staff/notices/1")
		})
	}
	all.Wait()
	l.wantSent(t, "a hundred at once", 1)
}

func TestTokenWithAnotherTextIsANewNotice(t *testing.T) {
	t.Parallel()
	w, l := ledgerWorld(t, 2)
	form := with(goodForm, "once", someOnce)
	post := func(id int, fields ...string) {
		t.Helper()
		w.post("carol", "/staff/send", fields...).wantRedirect(t, fmt.Sprint("/staff/notices/", id))
	}
	post(1, form...)
	id := 1
	for _, change := range [][2]string{
		{"to", "alice"},
		{"type", "news"},
		{"scope", "7"},
		{"subject", "photo:2"},
		{"title", "Hello!"},
		{"body", "One"},
		{"link", "/photos/2"},
		{"expires_in", "24h"},
		{"toast", "1"},
	} {
		id++
		for range 2 { // a double click on that form
			post(id, with(form, change[0], change[1])...)
		}
	}
	post(1, form...)
	l.wantSent(t, "with each field changed", id)
	if n := len(l.sent); l.sent[n-1].Title != "Hello" || l.sent[5].Body != "One\r\nTwo" || l.sent[6].Body != "One" {
		t.Errorf("sent %+v", l.sent)
	}
	post(1, with(with(with(form, "to", "alice,bob, alice"), "body", "One\nTwo"), "title", " Hello ")...) // the same, typed differently
	l.wantSent(t, "typed otherwise", id)
}

// TestWindowWithoutAStartIsTheSameLater submits an announcement without a start, which opens when it is sent, at two
// times and in two zones.
func TestWindowWithoutAStartIsTheSameLater(t *testing.T) {
	t.Parallel()
	w, l := ledgerWorld(t, 2)
	form := []string{"target", "audience", "to", "customer", "title", "Hello", "once", someOnce}
	for _, ends := range []string{"2026-11-24T12:00:00Z", "2026-11-24T13:00:00+01:00"} {
		w.post("carol", "/staff/send", with(form, "ends_at", ends)...).wantRedirect(t, "/staff/notices/1")
		for posted := time.Now().UnixMilli(); time.Now().UnixMilli() == posted; {
			runtime.Gosched()
		}
	}
	l.wantSent(t, "at another time", 1)
	w.post("carol", "/staff/send", with(form, "ends_at", "2026-11-24T13:00:00Z")...).wantRedirect(t, "/staff/notices/2")
}

func TestTokenOfAnotherUserIsAnotherKey(t *testing.T) {
	t.Parallel()
	w, l := ledgerWorld(t, 2)
	dora := notifier.User{Seq: 11, Name: "dora", Audience: 1, Roles: []string{notifier.RoleStaff}}
	known := w.sessions.current
	w.sessions.current = func(r *http.Request) (notifier.Signed, bool, error) {
		if r.Header.Get("X-Test-User") == dora.Name {
			return notifier.Signed{User: dora, ID: "session-of-dora"}, true, nil
		}
		return known(r)
	}
	for i, user := range []string{"carol", "dora"} {
		w.post(user, "/staff/send", with(goodForm, "once", someOnce)...).wantRedirect(t, fmt.Sprint("/staff/notices/", i+1))
	}
	l.wantSent(t, "two users", 2)
	if l.asked[0].Owner.Token() != "user 3" || l.asked[1].Owner.Token() != "user 11" {
		t.Errorf("the keys belong to %s and %s", l.asked[0].Owner, l.asked[1].Owner)
	}
}

func TestWithoutATokenEachSubmissionIsANotice(t *testing.T) {
	t.Parallel()
	w, l := ledgerWorld(t, 2)
	for i := range 2 {
		w.post("carol", "/staff/send", goodForm...).wantRedirect(t, fmt.Sprint("/staff/notices/", i+1))
	}
	for i, token := range badTokens {
		w.post("carol", "/staff/send", with(goodForm, "once", token)...).wantRedirect(t, fmt.Sprint("/staff/notices/", i+3))
	}
	for i, once := range l.asked {
		if once != nil {
			t.Errorf("submission %d has a key: %+v", i, once)
		}
	}
	w.post("carol", "/staff/send", append(with(goodForm, "once", someOnce), "once", someOnce)...).wantStatus(t, http.StatusUnprocessableEntity)
}

// TestRetryFindsANoticeWhoseResponseWasLost retries after a notice was stored but its response was lost: with the
// returned form, and with the hidden fields of the error page.
func TestRetryFindsANoticeWhoseResponseWasLost(t *testing.T) {
	t.Parallel()
	w, l := ledgerWorld(t, 2)
	l.after = errAway
	form := with(goodForm, "once", someOnce)
	r := w.post("carol", "/staff/send", form...).wantStatus(t, http.StatusServiceUnavailable)
	if got := r.once(t); got != someOnce {
		t.Errorf("the returned form has the token %s", got)
	}
	known := w.sessions.current
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) { return notifier.Signed{}, false, errAway }
	r = w.post("carol", "/staff/send", form...).wantStatus(t, http.StatusServiceUnavailable)
	w.sessions.current, l.after = known, nil
	w.submit("carol", r, "[data-testid=retry]").wantRedirect(t, "/staff/notices/1")
	l.wantSent(t, "in the end", 1)
}

// If the digest changed with a release, a repeated form would be sent again during an upgrade.
func TestDigestOfAFormIsTheSameInEveryRelease(t *testing.T) {
	t.Parallel()
	w, l := ledgerWorld(t, 2)
	w.post("carol", "/staff/send", append(with(goodForm, "expires_in", ""), "once", someOnce)...).wantRedirect(t, "/staff/notices/1")
	w.post("carol", "/staff/send", "target", "audience", "to", "customer", "title", "Hello", "body", "a\r\nb", "once", "BbC-dEf_0123456789xyzA").
		wantRedirect(t, "/staff/notices/2")
	for i, want := range []string{
		"e7b40b63b65e1e0e92e83dc8d33e21dc4b1c2fa73dd2f09200640fb54514dacf", "813a32dc6bd90252db69049cdcd7ed2137c30c00d3ce83a11ab846d98b0ed354",
	} {
		if got := hex.EncodeToString(l.asked[i].Digest); got != want {
			t.Errorf("digest %d is %s, want %s", i, got, want)
		}
	}
}
