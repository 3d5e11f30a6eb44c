package store_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestRoleIsCreatedOnceAndDeletedWithItsMemberships(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "picker", notifier.RoleStaff)
		if err := s.CreateRole(t.Context(), "Night shift"); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.CreateRole(t.Context(), "Night shift"), notifier.ErrConflict)
		wantIs(t, s.CreateRole(t.Context(), "picker"), notifier.ErrConflict)
		for _, bad := range []string{"", "a\nb", "\xff", strings.Repeat("x", 201)} {
			invalid(t, s.CreateRole(t.Context(), bad), "role", notifier.CodeBadName, map[string]any{"Name": bad})
			wantIs(t, s.DeleteRole(t.Context(), bad), notifier.ErrNotFound)
		}
		wantIs(t, s.DeleteRole(t.Context(), notifier.RoleStaff), notifier.ErrConflict)
		if got := must(s.Role(t.Context(), "picker"))(t); got != (notifier.RoleInfo{Name: "picker", Members: 1}) {
			t.Errorf("the role is %+v", got)
		}
		for _, role := range []string{"picker", "Night shift"} {
			if err := s.DeleteRole(t.Context(), role); err != nil {
				t.Error(err)
			}
			wantIs(t, s.DeleteRole(t.Context(), role), notifier.ErrNotFound)
			_, err := s.Role(t.Context(), role)
			wantIs(t, err, notifier.ErrNotFound)
		}
		if u := must(s.UserByName(t.Context(), "alice"))(t); !cmp.Equal(u.Roles, []string{notifier.RoleStaff}) {
			t.Errorf("her roles are %v", u.Roles)
		}
	})
}

func TestRolesAreListedInPages(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "picker", "Packer", "staff")
		addUser(t, s, "bob", "picker")
		if err := s.CreateRole(t.Context(), "ÄPICK"); err != nil {
			t.Fatal(err)
		}
		packer, picker, staff, upper := notifier.RoleInfo{Name: "Packer", Members: 1}, notifier.RoleInfo{Name: "picker", Members: 2},
			notifier.RoleInfo{Name: "staff", Members: 1}, notifier.RoleInfo{Name: "ÄPICK"}
		for what, c := range map[string]struct {
			q    notifier.RoleQuery
			want []notifier.RoleInfo
		}{
			"all":                   {notifier.RoleQuery{}, []notifier.RoleInfo{packer, picker, staff, upper}},
			"a page":                {notifier.RoleQuery{Limit: 2}, []notifier.RoleInfo{packer, picker}},
			"the next":              {notifier.RoleQuery{Limit: 2, After: "picker"}, []notifier.RoleInfo{staff, upper}},
			"after the last":        {notifier.RoleQuery{After: "ÄPICK"}, []notifier.RoleInfo{}},
			"with a part":           {notifier.RoleQuery{Contains: "PiCk"}, []notifier.RoleInfo{picker, upper}},
			"with a part, a page":   {notifier.RoleQuery{Contains: "pick", Limit: 1}, []notifier.RoleInfo{picker}},
			"with a part, the next": {notifier.RoleQuery{Contains: "pick", Limit: 1, After: "picker"}, []notifier.RoleInfo{upper}},
			"with an unknown part":  {notifier.RoleQuery{Contains: "%"}, []notifier.RoleInfo{}},
			"with invalid text":     {notifier.RoleQuery{Contains: "\xff\x00", After: "\xff\x00"}, []notifier.RoleInfo{}},
		} {
			if diff := cmp.Diff(c.want, must(s.RolesPage(t.Context(), c.q))(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
	})
}

// TestMembersOfARoleAreListedInEveryOrder uses a role whose members are looked up, and a role too large for that.
func TestMembersOfARoleAreListedInEveryOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		const users = 3 * store.SmallRole
		i := 0
		_, err := s.ImportUsers(t.Context(), users, func() (notifier.NewUser, int, error) {
			if i++; i > users {
				return notifier.NewUser{}, i, io.EOF
			}
			u := notifier.NewUser{Name: fmt.Sprintf("u%05d", i), Audience: 1, Roles: []string{"all"}}
			if i%2 == 0 {
				u.Roles = append(u.Roles, "large")
			}
			if i%1000 == 0 {
				u.Roles = append(u.Roles, "small")
			}
			return u, i, nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.CreateRole(t.Context(), "empty"); err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]struct {
			q    notifier.UserQuery
			want string
		}{
			"small":              {notifier.UserQuery{Role: "small"}, "u01000 u02000 u03000 u04000 u05000 u06000"},
			"small, after":       {notifier.UserQuery{Role: "small", After: "u03000", Limit: 2}, "u04000 u05000"},
			"small, descending":  {notifier.UserQuery{Role: "small", Descending: true, After: "u03000"}, "u02000 u01000"},
			"small, newest":      {notifier.UserQuery{Role: "small", ByNewest: true, Before: 5000, Limit: 2}, "u04000 u03000"},
			"small, with a part": {notifier.UserQuery{Role: "small", Contains: "300"}, "u03000"},
			"large":              {notifier.UserQuery{Role: "large", Limit: 3}, "u00002 u00004 u00006"},
			"large, after":       {notifier.UserQuery{Role: "large", After: "u03001", Limit: 2}, "u03002 u03004"},
			"large, descending":  {notifier.UserQuery{Role: "large", Descending: true, Limit: 2}, "u06000 u05998"},
			"large, newest":      {notifier.UserQuery{Role: "large", ByNewest: true, Before: 6000, Limit: 2}, "u05998 u05996"},
			"large, with a part": {notifier.UserQuery{Role: "large", Contains: "0199", Limit: 9}, "u01990 u01992 u01994 u01996 u01998"},
			"large, a prefix":    {notifier.UserQuery{Role: "large", Prefix: "U0199", Limit: 2}, "u01990 u01992"},
			"empty":              {notifier.UserQuery{Role: "empty"}, ""},
			"an unknown role":    {notifier.UserQuery{Role: "none"}, ""},
			"an invalid name":    {notifier.UserQuery{Role: "\xff\x00"}, ""},
		} {
			var names []string
			for _, u := range must(s.Users(t.Context(), c.q))(t) {
				names = append(names, u.Name)
				if len(u.Roles) < 2 || u.Roles[0] != "all" {
					t.Errorf("%s: %s has the roles %v; want all of theirs", what, u.Name, u.Roles)
				}
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%s: %s; want %s", what, got, c.want)
			}
		}
	})
}
