// Package bound is the servers that Carillon is measured against: as little
// as the same job can be done with. They store nothing, check no session and
// know no badge, so they bound from above what this machine can do.
//
//	GET /events?user=N   a stream: one first event, then what is published to N
//	GET /page            a fixed page
//
// Messages come over Redis Pub/Sub on Channel as `USER LF DATA`, or `* LF DATA`
// for everybody.
package bound
