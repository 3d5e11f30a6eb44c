// Package live carries changes to the browsers: one Hub per instance holds the
// event streams of the users connected here, hears of their changes through
// Redis Pub/Sub, and keeps each user's last badge so that no change costs a
// call to Redis.
//
// The way of a change:
//
//	link     one Pub/Sub connection with up to Limits.Channels users' channels,
//	  │      and those of all audiences
//	turn     of an audience: encoded once for all its users who see the same of it
//	  │
//	user     the held badge; a change is encoded once for all his streams, and
//	  │      changes of one user within Limits.Merge travel in one write
//	conn     one r3labs/sse stream a connection, its id chosen here
//	  │
//	responder  one write with a deadline for each flush
//
// A user is joined by SUBSCRIBE, then his badge is read, in this order, so that
// no change falls between. The same happens again after a subscription was lost,
// and for everybody once in Limits.Check, which mends what nothing else noticed.
// A link subscribes to the audiences before its users, so that whose channel is
// confirmed hears every turn from then on.
//
// A badge has two halves with a version each. A Change has the inbox's, Marks
// have the announcements'. A notifier.Turn has none: what opens is counted on
// where the user's version allows it; anything else has the badges of its
// audience read, one batch directly after the other.
//
// A toast goes to one connection of its user, on whatever instance, and to another
// when nobody acknowledges it. The courier asks what waits for those who come, hears
// (a notifier.Signal) for whom something is raised and which browser shows a page, and
// takes; a tray is what it has to look after for one user; give says which connection
// gets it. Of most users there is no tray.
//
// r3labs/sse is used within these bounds, outside of which it leaks or blocks:
// no replay and no automatic streams; a stream is removed only after its one
// subscriber has left; only TryPublish; the request it sees is ours and holds
// nothing of the client's.
package live
