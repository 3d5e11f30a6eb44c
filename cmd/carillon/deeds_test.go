package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/mailtest"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
)

// subject is the user that a deed changes, with the same session at both instances.
type subject struct {
	*land
	name        string
	here, there browser
	second      browser       // another session of the user, at the other instance
	stream      <-chan string // of second
}

// deed is one change of a user, with every door that can make it. Its effect is checked at the instance other than
// the door's.
type deed struct {
	roles  []string // of the user before the change
	before func(t *testing.T, u *subject)
	doors  []door
	effect func(t *testing.T, u *subject)
	gone   bool // the user does not exist afterwards
}

// door makes a change; entry is the actor's kind and the action in the audit log, if any.
type door struct {
	name  string
	enter func(t *testing.T, u *subject)
	entry string
}

func page(entry, path string, fields ...string) door {
	return door{"page", func(t *testing.T, u *subject) { u.here.post(t, path, formOf(fields...)) }, entry}
}

// office is a staff page whose form names the user.
func office(entry, path string, fields ...string) door {
	return door{"page", func(t *testing.T, u *subject) {
		form := formOf(fields...)
		form.Set("user", u.name)
		u.admin.post(t, path, form)
	}, entry}
}

// under is a door under another name, for a deed with several pages.
func under(d door, name string) door {
	d.name = name
	return d
}

func formOf(fields ...string) url.Values {
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return form
}

func called(entry, method, body string) door {
	return door{"API", func(t *testing.T, u *subject) { u.api(t, method, "/users/"+url.PathEscape(u.name), body) }, entry}
}

// typed runs a command with the user's name in place of NAME.
func typed(entry string, args ...string) door {
	return door{"command", func(t *testing.T, u *subject) {
		args := slices.Clone(args)
		args[slices.Index(args, "NAME")] = u.name
		must(t, u.call.typing("new-secret").run(t.Context(), args...))
	}, entry}
}

// staffPages waits until the other instance returns a status for a staff page.
func staffPages(want int) func(*testing.T, *subject) {
	return func(t *testing.T, u *subject) {
		testkit.Eventually(t, "the pages of staff", func() bool { status, _ := u.there.visits(t, "/staff/users"); return status == want })
	}
}

// signedOut waits for the end of the user's stream and session.
func signedOut(t *testing.T, u *subject) {
	ends(t, u.stream)
	testkit.Eventually(t, "the session is over", func() bool { _, out := u.there.visits(t, "/inbox"); return out })
}

func deeds() map[string]deed {
	return map[string]deed{
		"end a session": {before: signsInTwice, effect: secondSignedOut, doors: []door{
			{"page", func(t *testing.T, u *subject) {
				u.here.post(t, "/settings/sessions/"+u.otherSession(t)+"/end", url.Values{})
			}, "user session.end"},
			{"API", func(t *testing.T, u *subject) { u.here.me(t, http.MethodDelete, "/sessions/"+u.otherSession(t), "") }, "user session.end"},
		}},
		"change the password": {before: signsInTwice, effect: secondSignedOut, doors: []door{
			page("user user.passwd", "/settings/password", "current", "user-secret", "password", "another-secret"),
			{"API", func(t *testing.T, u *subject) {
				u.here.me(t, http.MethodPost, "/password", `{"current":"user-secret","password":"another-secret"}`)
			}, "user user.passwd"},
		}},
		"grant a role": {
			before: staffPages(http.StatusNotFound), effect: staffPages(http.StatusOK),
			doors: []door{
				office("user user.role.add", "/staff/roles/staff", "action", "add", "role", "staff"),
				under(office("user user.role.add", "/staff/users", "action", "add", "role", "staff"), "the page of the person"),
				called("key user.edit", http.MethodPut, `{"roles":["staff"]}`),
				typed("command user.role.add", "user", "role", "add", "NAME", "staff"),
			},
		},
		"revoke a role": {
			roles: []string{"staff"}, before: staffPages(http.StatusOK), effect: staffPages(http.StatusNotFound),
			doors: []door{
				office("user user.role.remove", "/staff/roles/staff", "action", "remove", "role", "staff"),
				under(office("user user.role.remove", "/staff/users", "action", "remove", "role", "staff"), "the page of the person"),
				called("key user.edit", http.MethodPut, `{"roles":[]}`),
				typed("command user.role.remove", "user", "role", "remove", "NAME", "staff"),
			},
		},
		"end all sessions": {effect: signedOut, doors: []door{
			page("user session.end_all", "/logout", "everywhere", "1"),
			typed("command user.passwd", "user", "passwd", "NAME", "--password-stdin"),
			under(office("user user.passwd", "/staff/users", "action", "password", "password", "new-secret"), "the form for a password"),
			under(office("user user.sign_out", "/staff/users", "action", "sign-out"), "the page of the person"),
		}},
		"delete": {effect: signedOut, gone: true, doors: []door{
			called("", http.MethodDelete, ""),
			typed("", "user", "delete", "NAME"),
			office("", "/staff/users", "action", "delete"),
		}},
		"choose a language": {
			doors: []door{page("", "/settings", "locale", "ja"), called("key user.edit", http.MethodPut, `{"locale":"ja"}`)},
			effect: func(t *testing.T, u *subject) {
				testkit.Eventually(t, "pages in Japanese", func() bool { return u.there.get(t, "/settings").Find("html").AttrOr("lang", "") == "ja" })
			},
		},
		"move": {
			doors: []door{called("key user.edit", http.MethodPut, `{"audience":"customer"}`)},
			effect: func(t *testing.T, u *subject) {
				waitFor(t, u.stream, "the announcement to customers is counted", func(e string) bool {
					return strings.HasPrefix(e, "badge ") && strings.Contains(e, `"announcements":1`)
				})
			},
		},
		"switch toasts off": {
			doors: []door{page("", "/settings", "toasts", "0")},
			effect: func(t *testing.T, u *subject) {
				u.command(t, "send", "--to", u.name, "--type", "order", "--title", "Loud", "--toast")
				u.command(t, "send", "--to", u.name, "--type", "order", "--title", "Quiet")
				for _, e := range waitFor(t, u.stream, "the second notice", func(e string) bool { return strings.Contains(e, "Quiet") }) {
					if strings.HasPrefix(e, "toast ") {
						t.Errorf("a toast was shown: %s", e)
					}
				}
			},
		},
		"try mail again": tryMailAgain(),
		"mute": {
			doors: []door{page("", "/settings/mute", "type", "order", "muted", "1")},
			effect: func(t *testing.T, u *subject) {
				u.command(t, "send", "--to", u.name, "--type", "order", "--title", "Muted categories")
				u.command(t, "send", "--to", u.name, "--type", "like", "--title", "Liked")
				waitFor(t, u.stream, "the other type", func(e string) bool { return strings.Contains(e, "Liked") })
				if got := u.there.entries(t); len(got) != 1 {
					t.Errorf("the inbox has %q", got)
				}
			},
		},
		"acknowledge a toast": {
			doors: []door{{"page", func(t *testing.T, u *subject) {
				u.command(t, "send", "--to", u.name, "--type", "order", "--title", "Loud", "--toast")
				seen := waitFor(t, u.stream, "the toast", func(e string) bool { return strings.HasPrefix(e, "toast ") })
				var toast shownToast
				if err := json.Unmarshal([]byte(strings.TrimPrefix(seen[len(seen)-1], "toast ")), &toast); err != nil {
					t.Fatal(err)
				}
				if status := acks(t, u.here, toast.ID); status != http.StatusNoContent {
					t.Fatalf("status %d", status)
				}
				if status := acks(t, u.there, toast.ID); status != http.StatusNotFound {
					t.Errorf("the other instance still has the toast: status %d", status)
				}
			}, ""}},
			effect: func(t *testing.T, u *subject) {
				if toasts := exports(t, u).Toasts; len(toasts) != 0 {
					t.Errorf("%d toasts wait", len(toasts))
				}
			},
		},
	}
}

func acks(t *testing.T, b browser, id string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/toasts/ack", strings.NewReader("id="+id))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// exported is the state of a user as an export contains it, without names, numbers and times.
type exported struct {
	User struct {
		Audience int
		Roles    []string
	}
	Settings         map[string]any
	Muted            []string
	Sessions, Toasts []struct{}
	Log              []logged
}

type logged struct {
	Kind   string `json:"actor_kind"`
	Action string
}

func exports(t *testing.T, u *subject) (e exported) {
	t.Helper()
	if err := json.Unmarshal([]byte(must(t, u.call.run(t.Context(), "export", "--user", u.name)).out), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// Every change of a user has the same effect through every door: at the other instance, before a server would have
// published it by itself, in the state of the user, and in the audit log. The test holds the lease under which
// servers publish changes that the door has not published.
func TestEveryChangeOfAUserHasTheSameEffectThroughEveryDoor(t *testing.T) {
	t.Parallel()
	l := newDeedLand(t)
	l.command(t, "announce", "--audience", "customer", "--late-joiners", "--title", "To customers")
	for what, d := range deeds() {
		var first exported
		for i, door := range d.doors {
			name := what + " by " + door.name
			u := &subject{land: l, name: name}
			u.here, u.there = l.user(t, name, d.roles...)
			u.stream = u.there.following(t)
			if d.before != nil {
				d.before(t, u)
			}
			door.enter(t, u)
			d.effect(t, u)
			if t.Failed() {
				t.Fatalf("%s failed", name)
			}
			if d.gone {
				wantWords(t, l.call.run(t.Context(), "export", "--user", name).errors, "there is no user")
				continue
			}
			state := exports(t, u)
			entered := 0
			for _, e := range state.Log {
				if e.Kind+" "+e.Action == door.entry {
					entered++
				}
			}
			if door.entry != "" && entered != 1 {
				t.Errorf("%s: %q is %d times in the audit log: %v", name, door.entry, entered, state.Log)
			}
			if state.Log = nil; i == 0 {
				first = state
			}
			if diff := cmp.Diff(first, state); diff != "" {
				t.Errorf("%s leaves another state than by %s: %s", name, d.doors[0].name, diff)
			}
		}
	}
}

// newDeedLand returns a land on SQLite where no server publishes changes later.
func newDeedLand(t *testing.T) *land {
	t.Helper()
	held, err := lease.New(redistest.Client(t), keys.New(t.Name()+":"), "people", time.Hour).Hold(t.Context())
	if err != nil || !held {
		t.Fatalf("the lease: %t, %v", held, err)
	}
	c := in(t.TempDir()).
		with("CARILLON_REDIS_URL", "unix://"+redistest.LeastRights(t, redistest.Client(t), t.Name()+":")+redistest.Socket(t)).
		with("CARILLON_REDIS_PREFIX", t.Name()+":").
		with("CARILLON_SMTP_URL", "smtp://"+mailtest.Start(t, mailtest.Options{}).Addr).
		with("CARILLON_MAIL_FROM", "shop@example.com").
		with("CARILLON_MAIL_DEFAULT", "0s").
		with("CARILLON_SESSION_KEYS", strings.Repeat("5e", config.KeyBytes))
	return newLandOn(t, c, c)
}
