package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestPeopleAreListedByGroup(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("a/b", "alice", "bob")
	if _, err := o.db.CreateUser(t.Context(), notifier.NewUser{Name: "dave", Audience: 3}); err != nil {
		t.Fatal(err)
	}
	for group, want := range map[string]string{
		"role:a/b": "alice bob", "role:staff": "carol", "role:nothing": "", "audience:3": "alice dave", "audience:99999999": "", "": "alice bob carol dave", "role:a/b&q=BO": "bob",
	} {
		group, q, _ := strings.Cut(group, "&")
		r := o.get("carol", "/staff/users?group="+url.QueryEscape(group)+"&"+q).wantStatus(t, http.StatusOK)
		var got []string
		for _, row := range r.page.Find("[data-testid=user] th bdi").EachIter() {
			got = append(got, row.Text())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q lists %q, want %q", group, got, want)
		}
		if got := r.attr("#group [selected]", "value"); got != group && want != "" {
			t.Errorf("%q: the filter shows %q", group, got)
		}
	}
}

func TestPeopleAreListedWithWhatTheyHaveUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.inbox.badge = func(seq int64) (b notifier.Badge, _ error) {
		b.SetInbox(1000*seq, 1)
		return b, nil
	}
	w.posts.list = func(r notifier.Reader) (notifier.OpenAnnouncements, error) { return notifier.OpenAnnouncements{Unread: r.Seq}, nil }
	unread := func() (all []string) {
		for _, cell := range w.get("carol", "/staff/users").wantStatus(t, http.StatusOK).page.Find("[data-testid=unread]").EachIter() {
			all = append(all, cell.Text())
		}
		return all
	}
	if diff := cmp.Diff([]string{"1,001", "2,002", "3,003"}, unread()); diff != "" {
		t.Error(diff)
	}
	w.posts.list = func(notifier.Reader) (notifier.OpenAnnouncements, error) {
		return notifier.OpenAnnouncements{}, notifier.ErrUnavailable
	}
	if diff := cmp.Diff([]string{"", "", ""}, unread()); diff != "" {
		t.Errorf("half a number is shown: %s", diff)
	}
}
