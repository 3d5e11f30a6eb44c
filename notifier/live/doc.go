// Package live delivers changes to browsers. One Hub per instance holds the event streams of
// the users connected here, receives their changes through Redis Pub/Sub, and keeps each
// user's last badge in memory, so that a change costs no call to Redis.
//
// The path of a change:
//
//	link     one Pub/Sub connection with the channels of up to Limits.Channels users,
//	  │      and of all audiences
//	turn     a change of an audience's announcements: encoded once for all users who see
//	  │      the same part of it
//	user     the badge in memory; a change is encoded once for all of the user's streams,
//	  │      and changes within Limits.Merge are sent in one write
//	conn     one r3labs/sse stream per connection, with an id chosen here
//	  │
//	responder  one write with a deadline for each flush
//
// A new user is joined with SUBSCRIBE first; the badge is read afterwards, so that no change
// is missed in between. The same happens after a subscription was lost. All badges are read
// again once per Limits.Check, which corrects errors that nothing else noticed. A link
// subscribes to the audiences before its users, so that a user whose channel is confirmed
// receives every turn from then on.
//
// A badge has two halves with a version each: a Change carries the inbox's, Marks carry the
// announcements'. A notifier.Turn carries no count: an opening announcement is added to the
// badge where the user's version allows it; after any other turn the badges of the audience
// are read again, one batch after the other.
//
// A toast goes to one connection of its user, on any instance, and to another one if it is
// not acknowledged. The courier asks which connecting users have toasts waiting, learns from
// a notifier.Signal for whom a toast is raised and which browser shows a page, and takes the
// toasts. A tray holds the undelivered toasts of one user; give.go chooses the connection.
// Only users with undelivered toasts have a tray.
//
// r3labs/sse leaks or blocks unless it is used like this: no replay and no automatic streams;
// a stream is removed only after its one subscriber has left; only TryPublish; the request it
// sees is our own and contains nothing from the client.
package live
