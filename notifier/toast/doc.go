// Package toast keeps the toasts that wait for their users, and says which
// instance shows them.
package toast
