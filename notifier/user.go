package notifier

import "slices"

// Audience is a numbered group of users by platform. Every user is in exactly one.
type Audience int

// RoleStaff is the role whose members see the staff pages.
const RoleStaff = "staff"

// User is one person of the host application, as the directory knows him.
type User struct {
	Seq      int64    // dense, from 1, never reused: what Redis knows
	Name     string   // the host application's id, up to 200 bytes
	Audience Audience // 1 operator, 2 user, 3 customer unless configured otherwise
	Settings
	Roles []string // sorted
}

// Settings is what a user has chosen. The zero value is that of one who has
// chosen nothing.
type Settings struct {
	Locale    string // BCP 47, or empty: as the browser asks
	Theme     string // ThemeLight or ThemeDark, or empty: as the system has it
	KeysOff   bool   // no keyboard shortcuts
	ToastsOff bool   // no toasts
}

// MaxMutes is how many types of notices a user can mute.
const MaxMutes = 200

// The themes that a user can choose.
const (
	ThemeLight = "light"
	ThemeDark  = "dark"
)

// HasRole says whether the user is a member of the role.
func (u User) HasRole(role string) bool { return slices.Contains(u.Roles, role) }
