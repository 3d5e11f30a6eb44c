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
		"audience:": "alice bob carol dave", "role:": "alice bob carol dave", "else": "alice bob carol dave", // invalid filters are ignored
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
		if got := r.attr("#group [selected]", "value"); got != group && strings.ContainsAny(group, ":") && len(group) > len("audience:") {
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
	w.posts.list = func(r notifier.Reader) (notifier.OpenAnnouncements, error) {
		return notifier.OpenAnnouncements{Unread: r.Seq}, nil
	}
	calls := 0
	w.inbox.called = func(seqs []int64) {
		if len(seqs) > 1 {
			calls++
		}
	}
	unread := func() (all []string) {
		for _, cell := range w.get("carol", "/staff/users").wantStatus(t, http.StatusOK).page.Find("[data-testid=unread]").EachIter() {
			all = append(all, cell.Text())
		}
		return all
	}
	if diff := cmp.Diff([]string{"1,001", "2,002", "3,003"}, unread()); diff != "" {
		t.Error(diff)
	}
	if calls != 1 {
		t.Errorf("the numbers are read in %d calls", calls)
	}
	w.posts.list = func(notifier.Reader) (notifier.OpenAnnouncements, error) {
		return notifier.OpenAnnouncements{}, notifier.ErrUnavailable
	}
	if diff := cmp.Diff([]string{"", "", ""}, unread()); diff != "" {
		t.Errorf("half a number is shown: %s", diff)
	}
}

func TestPeopleAreFoundByDisplayNameAndMailAddress(t *testing.T) {
	t.Parallel()
	for _, mailing := range []bool{true, false} {
		w := newWorld(t, func(w *world) { w.config.Mailing = mailing })
		w.databases.called("bob", "Robert Miller")
		w.get("alice", "/staff/users?q=bob").wantStatus(t, http.StatusNotFound)
		for search, want := range map[string]int{"MILLER": 1, "ALICE@exam": map[bool]int{true: 1}[mailing], "example.com": 0} {
			if got := w.get("carol", "/staff/users?q="+url.QueryEscape(search)).wantStatus(t, http.StatusOK).count("[data-testid=user]"); got != want {
				t.Errorf("mail %t: %q finds %d people, want %d", mailing, search, got, want)
			}
		}
		label := map[bool]string{true: "Search by name or email", false: "Search by name"}[mailing]
		w.get("carol", "/staff/users").wantText(t, "label[for=q]", label)
	}
}

func TestPeopleAreSearchedAndFilteredByAPlainForm(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	r := o.get("carol", "/staff/users?group=role%3Astaff").wantStatus(t, http.StatusOK)
	form := r.page.Find("form[role=search]")
	if form.AttrOr("method", "") != "get" || form.AttrOr("action", "") != "/staff/users" {
		t.Errorf("the form is %s %s", form.AttrOr("method", ""), form.AttrOr("action", ""))
	}
	if n := form.Find("#q, #group, #state, button[type=submit]").Length(); n != 4 {
		t.Errorf("%d fields and buttons", n)
	}
	if got := r.attr("[data-testid=matches] a", "href"); got != "/staff/users" {
		t.Errorf("Clear leads to %q", got)
	}
	var heads []string
	for _, head := range r.page.Find("thead th").EachIter() {
		heads = append(heads, strings.TrimSpace(head.Text()))
	}
	if diff := cmp.Diff([]string{"Name", "Groups", "Unread", "Last active"}, heads); diff != "" {
		t.Error(diff)
	}
}

func TestPeopleAreListedByActivity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.databases.called("alice", "Alice Ames")
	if err := w.db.SaveSnapshots(t.Context(), []notifier.Snapshot{{Seq: 1, Ver: 1 << 60, Unread: 2}}); err != nil {
		t.Fatal(err)
	}
	if err := w.db.CreateSession(t.Context(), "s", notifier.Signed{User: notifier.User{Seq: 2}}, noon); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"state=unread": "Alice Ames", "state=inactive": "Alice Ames carol", "state=inactive&q=r": "carol", "state=else": "Alice Ames bob carol",
	} {
		r := w.get("carol", "/staff/users?"+query).wantStatus(t, http.StatusOK)
		var got []string
		for _, row := range r.page.Find("[data-testid=user] th a bdi").EachIter() {
			got = append(got, row.Text())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	r := w.get("carol", "/staff/users?state=inactive")
	r.wantText(t, "[data-testid=matches] label", "Select all 2 that match")
	r.wantText(t, "#state [selected]", "Never active")
	r.wantText(t, "[data-testid=name]", "alice")
}
