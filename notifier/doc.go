// Package notifier holds the words of Carillon: what a notice, an entry, a
// badge and a change are, and the errors every part speaks. It does no I/O.
//
// The way of a notice, and the package that walks each stretch of it:
//
//	staff form, command line
//	  │ pipeline.Send: validated, one row in SQL (accepted is kept)
//	pipeline   takes accepted notices to their end, on whichever instance is free
//	  │
//	route      ROUTE   target → who: users, members of a role
//	  │
//	  ├ to users      inbox         STORE   list + hash + state of one user
//	  ├ to audiences  announcement  STORE   one record, one bitmap per audience
//	  └ what pops up  toast         STORE   a stream, a pending set per user
//	  │                one script a change; the script itself PUBLISHes it
//	live       SIGNAL  every instance with that user connected hands it to its SSE hub
//	  │
//	browser    bell, badge, inbox, pop-up
//
//	sweep      takes what expired out of the inboxes, each second
//	unread     writes inboxes that changed to SQL, each second; a cold inbox is filled from there
//
// Commands go down; nothing calls up. live and unread learn of changes through Redis only.
// Every Redis key is built in package keys and nowhere else.
package notifier
