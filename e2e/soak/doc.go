// Package soak is Carillon while everything around it breaks: built programs as
// child processes, two or three over one Redis and one SQL, that are killed, cut off, lied
// to and filled up while people send and read. What was answered to them is
// written down, and in the end has to be true.
//
// `make test` runs it short; `make soak` runs it with -args -kills=100.
package soak
