// Package bound contains the servers that Carillon is compared with. They do the same job with as little work as
// possible: they store nothing, check no session and have no badges, so they are an upper bound for this machine.
//
//	GET /events?stream=N   a stream: one first event, then the messages to N
//	GET /page            a fixed page
//
// Messages come over Redis Pub/Sub on Channel as `USER LF DATA`, or `* LF DATA` for all users.
package bound
