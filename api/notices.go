package api

import (
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

const groupNotices = "Notices"

// registerNotices adds the calls about notices.
func registerNotices(s *server) {
	register(s, call{
		id: "send-notice", group: groupNotices, method: http.MethodPost, path: "/notices", scope: notifier.ScopeSend, status: http.StatusAccepted,
		summary: "Send a notice",
		about: "Once the call is answered, the notice is stored and will reach all its recipients, even across failures. " +
			"Give an `Idempotency-Key` to make the call safe to repeat.",
		maxBody: maxNamesBody,
		examples: []example{
			{name: "users", summary: "To users", body: `{"target":{"users":["alice","bob"]},"type":"like","subject":"photo_id:1:user_id:7","title":"Carol likes your photo","link":"/photos/1"}`},
			{name: "role", summary: "To a role, for three days, with a toast", body: `{"target":{"role":"picker"},"type":"shift","title":"Bay 3 is closed today","body":"Use bay 4.","expires_in":"72h","toast":true}`},
			{name: "topic", summary: "To the subscribers of a topic", body: `{"target":{"topic":{"type":"rep_notice","scope":"119240"}},"subject":"location:A-03-2","title":"Negative stock at A-03-2","body":"It holds -4 of article 4711."}`},
			{name: "audience", summary: "To an audience: an announcement", body: `{"target":{"audiences":["customer"]},"title":"We are closed on Monday","pinned":true,"expires_in":"48h"}`},
			{name: "rich", summary: "With an actor, buttons and data", body: `{"target":{"users":["alice"]},"type":"review","subject":"pr:7","title":"Bob asks you to review #7","actor":{"id":"u7","name":"Bob"},"actions":[{"label":"Review","link":"/prs/7","style":"primary"},{"label":"Not now","link":"/prs"}],"data":{"pr":7}}`},
			{name: "dry", summary: "Only find out who would get it", params: map[string]string{"dry_run": "1"}, body: `{"target":{"role":"picker"},"title":"Bay 3 is closed today"}`, status: http.StatusOK},
			{name: "once", summary: "With a key that makes it safe to repeat", params: map[string]string{"Idempotency-Key": "order-1001-shipped"}, body: `{"target":{"users":["alice"]},"type":"order","subject":"order:1001","title":"Order 1001 is on its way"}`},
		},
	}, s.send)
	s.describeDryRun()
	register(s, call{
		id: "send-notices", group: groupNotices, method: http.MethodPost, path: "/notices/batch", scope: notifier.ScopeSend, status: http.StatusAccepted,
		summary: "Send up to 1,000 notices",
		about: "Each notice is accepted or refused on its own; `results` lists the outcomes in order. A malformed body is refused as a whole. " +
			"With an `Idempotency-Key`, a repeated batch sends only the notices that were not accepted before.",
		maxBody: maxBatchBody,
		examples: []example{
			{name: "two", summary: "Two notices, the second to an unknown user", body: `{"notices":[{"target":{"users":["alice"]},"type":"order","subject":"order:1002","title":"Order 1002 is packed"},{"target":{"users":["nobody"]},"type":"order","subject":"order:1003","title":"Order 1003 is packed"}]}`},
		},
	}, s.sendBatch)
	register(s, call{
		id: "list-notices", group: groupNotices, method: http.MethodGet, path: "/notices", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "List sent notices",
		about: "Newest first, with their progress. A key lists the notices that were sent under its own name, and with the scope `admin` all. Follow `next` until it is left out: " +
			"no notice is passed over or listed twice while new ones come. A page may have fewer notices than `limit`, even none, while there is a next one: a search answers with what it has found after a moment.",
		examples: []example{
			{name: "all", summary: "The latest 50"},
			{name: "since", summary: "Those since a time that are being sent", params: map[string]string{"since": "2025-11-22T08:00:00Z", "state": "sending"}},
			{name: "sender", summary: "Likes sent by the key shop, ten at a time", params: map[string]string{"sender": "key:shop", "type": "like", "limit": "10"}},
		},
	}, s.listSent)
	register(s, call{
		id: "get-notice", group: groupNotices, method: http.MethodGet, path: "/notices/{id}", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "Get a notice and its progress",
		about:   "A key can see the notices that were sent under its own name. A key with the scope `admin` can see all notices.",
		errors:  []int{http.StatusNotFound},
		examples: []example{
			{name: "one", summary: "Notice 1", params: map[string]string{"id": "1"}},
		},
	}, s.look)
	register(s, call{
		id: "edit-notice", group: groupNotices, method: http.MethodPatch, path: "/notices/{id}", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "Edit a notice",
		about: "Open inboxes show the new text at once. The notice stays read for those who have read it, unless `unread` is true. " +
			"An edit that changes nothing leaves the revision as it is.",
		errors: []int{http.StatusNotFound, http.StatusConflict},
		examples: []example{
			{name: "picture", summary: "Remove the picture", params: map[string]string{"id": "1"}, body: `{"image":null}`},
			{name: "title", summary: "Change the title", params: map[string]string{"id": "1"}, body: `{"title":"Carol likes two of your photos"}`},
		},
	}, s.edit)
	register(s, call{
		id: "retract-notice", group: groupNotices, method: http.MethodDelete, path: "/notices/{id}", scope: notifier.ScopeSend, status: http.StatusNoContent,
		summary: "Retract a notice",
		about:   "The notice is removed from every inbox, and from open pages at once. The call may be repeated.",
		errors:  []int{http.StatusNotFound, http.StatusConflict},
		examples: []example{
			{name: "one", summary: "Notice 1", params: map[string]string{"id": "1"}},
		},
	}, s.retract)
	register(s, call{
		id: "withdraw-subject", group: groupNotices, method: http.MethodDelete, path: "/subjects/{subject}", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "Retract all notices about a subject",
		about: "For a subject that no longer exists: retracts every notice with that subject, of any type. With the key of an app, those of the app; with any other key, " +
			"those that belong to no app and were sent under the name of the key. With the scope `admin`, those of no app by all senders, or those of the app that `app` names.",
		examples: []example{
			{name: "order", summary: "A cancelled order", params: map[string]string{"subject": "order:1001"}},
			{name: "app", summary: "Those of an app, with the scope admin", params: map[string]string{"subject": "order:1001", "app": "front"}},
		},
	}, s.withdraw)
}
