// Package toast stores the toasts that wait for their users and decides which instance shows each
// of them.
package toast
