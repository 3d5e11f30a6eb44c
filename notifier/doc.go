// Package notifier defines the vocabulary of Carillon: notices, inbox entries, badges,
// the changes published on Redis, and the errors that all parts share. It does no I/O.
// docs/glossary.md defines the words.
//
// The way of a notice, and the package responsible for each stretch of it:
//
//	staff form, API, command line, package rule (queries business databases on a schedule)
//	  │
//	notices    Confirm: validates the draft and has it routed; Send: stores it for exactly these
//	  │        recipients, then queues its delivery
//	  │
//	route      target → recipients: users, members of a role, subscribers of a topic
//	  │        topic      the subscribers of each topic, in Redis; the known types
//	  │
//	store      one row in SQL with its recipients; the sender is answered from here on
//	  │
//	delivery   the intake: small notices are delivered here, whole; large ones, and what failed, go
//	  │        through one stream that all instances read, by baton, a range at a time
//	  ├ inbox         list, hash and state of one user, changed in one script
//	  ├ toast         a stream, and the set of pending toasts of each user
//	  └ announcement  to audiences, without the intake: one record, one bitmap per audience
//	  │               each script publishes the change that it makes
//	Redis Pub/Sub
//	  │
//	live       every instance with that user connected sends the change to their browsers
//	  │
//	browser    bell, badge, inbox, toast
//
// Beside that way:
//
//	person     changes users: one method for each change, called by pages, API and commands
//	keys       builds every Redis key and channel; no other package does
//	inbox/behind  writes changed inboxes to SQL each second, and removes expired entries; cold
//	           inboxes are restored from SQL
//	guard      holds back all Redis commands until Redis has everything that SQL knows of
//
// A stage never imports another stage. Package notices imports delivery, inbox/behind and route. It
// and delivery reach the other stages, and the stages reach SQL and each other, through
// interfaces that the caller declares and internal/instance connects. inbox/behind and live learn of
// changes through Redis only. Besides, live reads badges when a browser connects and after a
// gap, and raises, takes and settles toasts.
package notifier
