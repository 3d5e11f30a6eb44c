package notifier

import (
	"fmt"
	"slices"
	"time"
)

// Audience is a numbered group of users by platform. Every user belongs to exactly one.
type Audience int

// RoleStaff is the role whose members see the staff pages.
const RoleStaff = "staff"

// User is a user of the host application, as stored in the directory.
type User struct {
	Seq      int64    // dense, from 1, never reused; the only user id in Redis
	Name     string   // the host application's id, up to 200 bytes
	Display  string   // display name, provided by their app; may be empty
	Audience Audience // 1 operator, 2 user, 3 customer unless configured otherwise
	Settings
	Zones  Zones
	Paused int64    // in ms: until then they are not notified outside the pages, and toasts are held; 0: never
	Notes  string   // corrections of the values in their profile; see ParseProfileNotes
	Roles  []string // sorted
}

// Zones contains a user's time zones by their IANA names; empty: none.
type Zones struct {
	Chosen string // by the user
	Seen   string // from their browser or their app
	SeenAt int64  // when Seen was stored, in ms
}

// PausedUntil returns when the user's pause ends; zero: not paused.
func (u *User) PausedUntil(now time.Time) time.Time {
	if u.Paused <= now.UnixMilli() {
		return time.Time{}
	}
	return time.UnixMilli(u.Paused)
}

// UserName is the name of a user, with their display name.
type UserName struct {
	Name    string // the host application's id
	Display string // may be empty
}

// NewUser is a user to be created. Missing roles are created too.
type NewUser struct {
	Name         string
	PasswordHash string // empty: cannot sign in with a password
	Audience     Audience
	Locale       string
	Email        string // empty: none
	Roles        []string
}

// PutUser contains the fields of a user to create or change. Nil leaves a field unchanged, or at its default
// for a new user.
type PutUser struct {
	Name     string
	Audience *Audience
	Locale   *string   // BCP 47; empty: the browser's language
	Email    *string   // their mail address; empty: none
	Roles    *[]string // the complete list; missing roles are created
}

// Settings contains a user's settings. The zero value means that the user has not set any.
type Settings struct {
	Locale    string // BCP 47; empty: the browser's preference
	Theme     string // ThemeLight or ThemeDark; empty: the system's preference
	KeysOff   bool   // no keyboard shortcuts
	ToastsOff bool   // no toasts
	OpensOnly bool   // opening the inbox marks nothing as read
	Compact   bool   // rows have one line of text
}

// PutSettings contains the settings to change. Nil fields stay unchanged.
type PutSettings struct {
	Locale, Theme                          *string
	KeysOff, ToastsOff, OpensOnly, Compact *bool
}

// Apply returns settings with these changes.
func (p *PutSettings) Apply(to Settings) Settings {
	put(&to.Locale, p.Locale)
	put(&to.Theme, p.Theme)
	put(&to.KeysOff, p.KeysOff)
	put(&to.ToastsOff, p.ToastsOff)
	put(&to.OpensOnly, p.OpensOnly)
	put(&to.Compact, p.Compact)
	return to
}

func put[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// MaxMutes is the maximum number of notice types that a user can mute.
const MaxMutes = 200

// The themes that a user can choose.
const (
	ThemeLight = "light"
	ThemeDark  = "dark"
)

// HasRole reports whether the user is a member of the role.
func (u User) HasRole(role string) bool { return slices.Contains(u.Roles, role) }

// EndedSession identifies a session that has ended, and its user.
type EndedSession struct {
	ID  string
	Seq int64
}

// ChangedUser is a user with a change that invalidates copies held elsewhere.
type ChangedUser struct {
	Seq      int64
	Audience Audience // after the change
	Moved    bool     // the audience has changed
	Told     bool     // the change has been published once
	Version  int64    // rises with each change
}

// ValidName reports whether a user or role can have the name: 1 to MaxName bytes of UTF-8
// without forbidden characters (see badRune). Names are stored unchanged: case and spaces
// are significant.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName {
		return false
	}
	_, found := badRune(name, "")
	return !found
}

// ErrLeaving is an ErrConflict: a user with this name is being deleted, and the name stays
// reserved until the deletion is complete.
var ErrLeaving = fmt.Errorf("a user with this name is being deleted: %w", ErrConflict)

// Deleted is a user who has been deleted.
type Deleted struct {
	Seq      int64
	Name     string
	Sessions int  // that were ended
	Begun    bool // by this call, not by an earlier one
	Done     bool // all data is deleted; otherwise the deletion continues in the background
}

// Deletion is a user whose account is deleted and whose remaining data is being removed.
type Deletion struct {
	Seq       int64
	Name      string
	Audience  Audience
	StartedAt time.Time
}
