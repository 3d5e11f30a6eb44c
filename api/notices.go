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
		about: "Once it is answered the notice is kept and will reach everybody it is for, whatever fails. " +
			"Give an `Idempotency-Key` to make the call safe to repeat.",
		examples: []example{
			{name: "users", summary: "To users", body: `{"target":{"users":["alice","bob"]},"type":"like","subject":"photo_id:1:user_id:7","title":"Carol likes your photo","link":"/photos/1"}`},
			{name: "role", summary: "To a role, for three days, with a toast", body: `{"target":{"role":"picker"},"type":"shift","title":"Bay 3 is closed today","body":"Use bay 4.","expires_in":"72h","toast":true}`},
			{name: "topic", summary: "To a topic: whoever subscribes to it", body: `{"target":{"topic":{"type":"rep_notice","scope":"119240"}},"subject":"location:A-03-2","title":"Negative stock at A-03-2","body":"It holds -4 of article 4711."}`},
			{name: "audience", summary: "To an audience: an announcement", body: `{"target":{"audiences":["customer"]},"title":"We are closed on Monday","pinned":true,"expires_in":"48h"}`},
			{name: "once", summary: "Safe to repeat", params: map[string]string{"Idempotency-Key": "order-1001-shipped"}, body: `{"target":{"users":["alice"]},"type":"order","subject":"order:1001","title":"Order 1001 is on its way"}`},
		},
	}, s.send)
	register(s, call{
		id: "send-notices", group: groupNotices, method: http.MethodPost, path: "/notices/batch", scope: notifier.ScopeSend, status: http.StatusAccepted,
		summary: "Send up to 1,000 notices",
		about: "Each notice is accepted or refused by itself: `results` says which, in order. A body that does not have the right form is refused as a whole. " +
			"With an `Idempotency-Key` a repeated batch sends only what was not accepted before.",
		maxBody: maxBatchBody,
		examples: []example{
			{name: "two", summary: "Two notices, the second to somebody who is not there", body: `{"notices":[{"target":{"users":["alice"]},"type":"order","subject":"order:1002","title":"Order 1002 is packed"},{"target":{"users":["nobody"]},"type":"order","subject":"order:1003","title":"Order 1003 is packed"}]}`},
		},
	}, s.sendBatch)
	register(s, call{
		id: "get-notice", group: groupNotices, method: http.MethodGet, path: "/notices/{id}", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "See how far a notice has come",
		about:   "A key sees the notices that were sent under its own name; one with the scope `admin` sees all.",
		errors:  []int{http.StatusNotFound},
		examples: []example{
			{name: "one", summary: "Notice 1", params: map[string]string{"id": "1"}},
		},
	}, s.look)
	register(s, call{
		id: "edit-notice", group: groupNotices, method: http.MethodPatch, path: "/notices/{id}", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "Edit a notice",
		about: "Open inboxes show the new text at once. Whoever has read the notice is not disturbed: it stays read. " +
			"An edit that changes nothing is none: the revision stays.",
		errors: []int{http.StatusNotFound, http.StatusConflict},
		examples: []example{
			{name: "title", summary: "Another title", params: map[string]string{"id": "1"}, body: `{"title":"Carol likes two of your photos"}`},
		},
	}, s.edit)
	register(s, call{
		id: "retract-notice", group: groupNotices, method: http.MethodDelete, path: "/notices/{id}", scope: notifier.ScopeSend, status: http.StatusNoContent,
		summary: "Take a notice back",
		about:   "It goes from every inbox, and from open pages at once. It may be repeated.",
		errors:  []int{http.StatusNotFound, http.StatusConflict},
		examples: []example{
			{name: "one", summary: "Notice 1", params: map[string]string{"id": "1"}},
		},
	}, s.retract)
	register(s, call{
		id: "withdraw-subject", group: groupNotices, method: http.MethodDelete, path: "/subjects/{subject}", scope: notifier.ScopeSend, status: http.StatusOK,
		summary: "Take back all notices about a thing",
		about: "For a thing that is gone: every notice with that subject is taken back, whatever its type, that was sent under the name of the key; " +
			"with the scope `admin` whoever sent it.",
		examples: []example{
			{name: "order", summary: "An order that was cancelled", params: map[string]string{"subject": "order:1001"}},
		},
	}, s.withdraw)
}
