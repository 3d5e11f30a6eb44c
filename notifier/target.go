package notifier

import (
	"slices"
	"strconv"
	"strings"
)

// MaxNames is the maximum number of users a notice can name. To reach more, a sender uses a role, a topic or an
// audience.
const MaxNames = 10_000

// MaxTargetRoles is the maximum number of roles a notice can be sent to.
const MaxTargetRoles = 50

// Target selects the recipients of a notice. Exactly one of its fields is set.
type Target struct {
	Users     []string   `json:"users,omitempty"` // user names
	Role      string     `json:"role,omitempty"`
	Roles     []string   `json:"roles,omitempty"` // several roles; a single one is Role
	Topic     Topic      `json:"topic,omitzero"`
	Audiences []Audience `json:"audiences,omitempty"`
}

// RoleNames returns the roles that a notice is sent to.
func (t *Target) RoleNames() []string {
	if t.Role != "" {
		return []string{t.Role}
	}
	return t.Roles
}

// IsZero reports whether it selects nobody.
func (t *Target) IsZero() bool {
	return len(t.Users) == 0 && t.Role == "" && len(t.Roles) == 0 && t.Topic == Topic{} && len(t.Audiences) == 0
}

// normalise gives equivalent targets the same form.
func (t *Target) normalise() {
	t.Users, t.Roles = foldNames(t.Users), foldNames(t.Roles)
	if len(t.Roles) == 1 && t.Role == "" {
		t.Role, t.Roles = t.Roles[0], nil
	}
	if len(t.Audiences) > 0 {
		t.Audiences = slices.Compact(slices.Sorted(slices.Values(t.Audiences)))
	}
}

func (t *Target) check(audiences []Audience, bad *InvalidError) {
	given := 0
	for _, is := range []bool{len(t.Users) > 0, t.Role != "", len(t.Roles) > 0, t.Topic != Topic{}, len(t.Audiences) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		bad.Add("target", CodeOneTarget, nil)
	case given == 0:
		bad.Add("to", CodeRequired, nil)
	case t.Role != "":
		checkName(t.Role, bad)
	case len(t.Roles) > MaxTargetRoles:
		bad.Add("to", CodeTooManyRoles, map[string]any{"Max": MaxTargetRoles})
	case len(t.Roles) > 0:
		checkNames(t.Roles, bad)
	case t.Topic != Topic{}:
		t.Topic.checkTarget(bad)
	case len(t.Audiences) > 0:
		for _, a := range t.Audiences {
			if a < 1 || len(audiences) > 0 && !slices.Contains(audiences, a) {
				bad.Add("to", CodeUnknownAudience, map[string]any{"Name": strconv.Itoa(int(a))})
				return
			}
		}
	case len(t.Users) > MaxNames:
		bad.Add("to", CodeTooManyNames, map[string]any{"Max": MaxNames})
	default:
		checkNames(t.Users, bad)
	}
}

func checkNames(names []string, bad *InvalidError) {
	for _, name := range names {
		if !checkName(name, bad) {
			return // one example is enough
		}
	}
}

// checkName rejects names that no user or role can have. Package route checks whether the name
// exists.
func checkName(name string, bad *InvalidError) bool {
	if ValidName(name) {
		return true
	}
	bad.Add("to", CodeBadName, map[string]any{"Name": excerpt(name)})
	return false
}

// excerpt returns the start of an invalid name in a form that is safe to display.
func excerpt(name string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(name, "\ufffd") {
		if forbidden(r) {
			r = '\ufffd'
		}
		if b.Len() >= 40 {
			return b.String() + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

// foldNames drops duplicates, keeping the first of each name. The result does not share
// memory with names.
func foldNames(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	seen := make(map[string]bool, len(names))
	folded := make([]string, 0, len(names))
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			folded = append(folded, name)
		}
	}
	return folded
}
