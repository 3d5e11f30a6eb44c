package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// offices maps each administration page to a form that would change something.
var offices = map[string][]string{
	"/staff/roles":         {"role", "new"},
	"/staff/roles/staff":   {"action", "add", "user", "bob"},
	"/staff/users/bob":     {"action", "add", "role", "staff"},
	"/staff/subscriptions": {"type", "like", "user", "bob"},
	"/staff/types":         {"slug", "new"},
	"/staff/apps":          {"name", "shop", "audience", "user", "max_life", "1h"},
	"/staff/apps/1":        {"action", "rotate"},
	"/staff/keys":          {"name", "shop", "scope", "read"},
	"/staff/hooks":         {"name", "shop", "url", "https://hooks.example.com/", "events", "test"},
	"/staff/hooks/1":       {"action", "test"},
	"/staff/rules":         {"name", "a"},
}

func TestAdministrationIsForStaffOnly(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for address, fields := range offices {
		o.get("alice", address).wantStatus(t, http.StatusNotFound)
		o.post("alice", address, fields...).wantStatus(t, http.StatusNotFound)
		o.post("", address, fields...).wantStatus(t, http.StatusSeeOther)
		body := strings.Join([]string{fields[0] + "=" + fields[1]}, "&")
		o.postBody("carol", address, body, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusForbidden)
		o.post("carol", address, append(fields, "else", "1")...).wantStatus(t, http.StatusUnprocessableEntity)
		o.postBody("carol", address, body+"&"+body).wantStatus(t, http.StatusUnprocessableEntity)
		o.post("carol", address, append(fields, "page_user", "alice")...).wantStatus(t, http.StatusConflict)
		o.post("carol", address, append(fields, fields[0]+"x", strings.Repeat("x", 70<<10))...).wantStatus(t, http.StatusRequestEntityTooLarge)
	}
	if len(o.done()) != 0 || len(o.allKeys())+len(o.allSubscriptions())+len(o.topics.Types())+len(o.ran()) != 0 || len(o.members("staff")) != 1 || len(o.get("carol", "/staff/roles").page.Find("[data-testid=role]").Nodes) != 1 {
		t.Errorf("actions succeeded: %v", o.done())
	}
}

func TestFormThatFailsForNowIsReturnedAsTyped(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.runRules("a")
	o.closeSQL()
	for address, fields := range offices {
		r := o.post("carol", address, fields...).wantStatus(t, http.StatusServiceUnavailable)
		for i := 0; i+1 < len(fields); i += 2 {
			if got := r.attr("[data-testid=retry] [name="+fields[i]+"]", "value"); got != fields[i+1] {
				t.Errorf("%s: %s is %q", address, fields[i], got)
			}
		}
	}
	if len(o.done()) != 0 {
		t.Errorf("the audit log has %v", o.done())
	}
}

func TestStaffPagesAreListedInGroups(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for address, current := range map[string]string{"/staff/types": "Categories", "/staff/roles/staff": "Groups", "/staff/notices?q=x": "Sent"} {
		r := o.get("carol", address)
		var groups []string
		for _, group := range r.page.Find("nav[aria-label='Staff pages'] ul").EachIter() {
			groups = append(groups, strings.Join(strings.Fields(group.Text()), " "))
		}
		want := []string{"Send Sent Questions Tasks", "People Groups Followers", "Categories Rules Apps API keys Webhooks Failed deliveries"}
		if diff := cmp.Diff(want, groups); diff != "" {
			t.Errorf("%s: %s", address, diff)
		}
		r.wantText(t, "nav[aria-label='Staff pages'] [aria-current=page]", current)
		if r.count("link[href$='/css/staff.css']") != 1 {
			t.Errorf("%s has no staff style sheet", address)
		}
	}
	if r := o.get("carol", "/settings"); r.count("nav[aria-label='Staff pages']")+r.count("link[href$='/css/staff.css']") != 0 {
		t.Error("the settings have the frame of the staff pages")
	}
}
