// Package notifier defines the vocabulary of Carillon: notices, inbox entries, badges,
// the changes published on Redis, and the errors that all parts share. It does no I/O.
// docs/glossary.md defines the words.
//
// How a notice travels, and the package responsible for each stage:
//
//	staff form, API, command line, package rule (queries business databases on a schedule)
//	  │
//	notices    Confirm: validates the draft and resolves its recipients; Send: stores it for exactly
//	  │        these recipients, then queues its delivery
//	  │
//	route      target → recipients: users, members of a role, subscribers of a topic
//	  │        topic      the subscribers of each topic, in Redis; the known types
//	  │
//	store      one row in SQL with its recipients; then the sender gets the response
//	  │
//	delivery   by the instance that accepted the notice, or by one that claims it in SQL: small notices
//	  │        in batches, large ones range by range
//	  ├ inbox         list, hash and state of one user, changed in one script
//	  ├ toast         a stream, and the set of pending toasts of each user
//	  └ announcement  to audiences, without delivery: one record, one bitmap per audience
//	  │               each script publishes its change
//	Redis Pub/Sub
//	  │
//	live       every instance to which that user is connected sends the change to their browsers
//	  │
//	browser    bell, badge, inbox, toast
//
// Other packages:
//
//	person     changes users: one method per change, called by pages, API and commands
//	keys       builds every Redis key and channel; no other package does
//	inbox/behind  writes changed inboxes to SQL each second, and removes expired entries; cold
//	           inboxes are restored from SQL
//	guard      blocks Redis commands until Redis contains all data that is in SQL
//
// A stage never imports another stage. Package notices imports delivery, inbox/behind and route. It
// and delivery reach the other stages, and the stages reach SQL and each other, through
// interfaces that the caller declares and internal/instance connects. inbox/behind and live receive
// changes only from Redis. In addition, live reads badges when a browser connects and after missed
// messages, and raises, claims and settles toasts.
package notifier
