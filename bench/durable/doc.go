// Package durable is the server that a good team would write by hand: the least code that keeps Carillon's promise
// for one notice. A request of an application is validated, committed to SQLite together with the others that wait,
// and answered; then one script puts the notice into the inbox of its user in Redis, counts it and publishes it, and
// the event stream gets the notice and the new badge in one write. Notices not recorded as delivered are delivered
// again at the next start. It is the bound to which Carillon is compared.
//
//	POST /api/v1/notices   {"target":{"users":["user7"]} or {"role":"everybody"},"type","title","body","link"}: 202 {"id","state"}
//	GET  /api/v1/notices/N: {"id","state"}
//	GET  /events?stream=N: the stream of user N+1
//	POST /publish          a message to all streams, which is not stored
//
// It lacks what makes a product: sessions, edits, retraction, expiry, snapshots of inboxes, a second instance, and a
// choice of database.
package durable
