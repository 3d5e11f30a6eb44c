// Package soak tests Carillon while everything around it fails. Two or three built programs run as child processes on
// one Redis and one SQL database. They are killed and cut off, and their servers lose data or fill up, while users
// send and read. Each test records the responses that users received; at the end they must be true.
//
// `make test` runs a short version; `make soak` runs it with -args -kills=100.
package soak
