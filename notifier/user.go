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
	Locale   string   // BCP 47, or empty: as the browser asks
	Roles    []string // sorted
}

// HasRole says whether the user is a member of the role.
func (u User) HasRole(role string) bool { return slices.Contains(u.Roles, role) }
