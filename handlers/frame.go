package handlers

import (
	"cmp"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// doneTexts maps done codes to text IDs.
var doneTexts = map[string]string{
	"read": "done.read", "unread": "done.unread", "deleted": "done.deleted", "restored": "done.restored", "archived": "done.archived", "unarchived": "done.unarchived", "snoozed": "done.snoozed", "woken": "done.woken", "answered": "done.answered", "taken": "done.taken", "finished": "done.finished", "given_back": "done.given_back",
	"read-all": "done.all_read", "signed-out": "done.signed_out", "signed-out-here": "done.signed_out_here", "saved": "done.saved", "retracting": "done.retracting",
	"device-added": "done.device_added", "device-removed": "done.device_removed", "device-tested": "done.device_tested", codeUntested: "done.device_untested", "session-ended": "done.session_ended", "password-changed": "done.password_changed",
	"muted": "done.muted", "unmuted": "done.unmuted",
	"replayed": "done.replayed", "discarded": "done.discarded",
	"role-made": "done.role_made", "role-deleted": "done.role_deleted", "member-added": "done.member_added", "member-removed": "done.member_removed",
	"group-added": "done.group_added", "group-removed": "done.group_removed", "person-signed-out": "done.person_signed_out", "password-set": "done.password_set", "person-deleted": "done.person_deleted", "person-added": "done.person_added", "people-imported": "done.people_imported",
	"subscribed": "done.subscribed", "unsubscribed": "done.unsubscribed", "type-saved": "done.type_saved", "type-deleted": "done.type_deleted", "types-tidied": "done.types_tidied",
	"key-revoked": "done.key_revoked", "key-known": "done.key_known", "rule-run": "done.rule_run",
	"hook-tested": "done.hook_tested", "hook-replayed": "done.hook_replayed", "hook-on": "done.hook_on", "hook-removed": "done.hook_removed",
	"mail-again": "done.mail_again", "mail-rests": "done.mail_rests", "mail-fine": "done.mail_fine",
	"app-revoked": "done.app_revoked", "app-key-revoked": "done.app_key_revoked", "app-key-known": "done.app_key_known",
	"you-subscribe": "done.you_subscribe", "you-unsubscribe": "done.you_unsubscribe", "notice-edited": "done.notice_edited", "scheduled-edited": "done.scheduled_edited",
	"edited": "done.edited", "edited-unread": "done.edited_unread", "removed": "done.removed", draftDeleted: "done.draft_deleted", "reminded": "done.reminded", "reminded-nobody": "done.reminded_nobody", "announcement-over": "js.announcement_over",
}

// text returns the texts in the request's language.
func (h *Handlers) text(r *http.Request) *locale.Printer {
	return h.texts.For(visitOf(r).user.User.Locale, r.Header.Get("Accept-Language"))
}

// now is the current time in the reader's time zone.
func (h *Handlers) now(r *http.Request) time.Time { return h.Now().In(h.zones.of(r)) }

// frame returns a page's frame, with the badge and the pinned announcement.
func (h *Handlers) frame(r *http.Request, section, title string) views.Frame {
	f, _ := h.frameWith(r, section, title, nil)
	return f
}

// frameWith is frame for a page that may have read the announcements already; otherwise a is nil. It also returns the
// badge.
func (h *Handlers) frameWith(r *http.Request, section, title string, a *announced) (views.Frame, notifier.Badge) {
	f := h.bareFrame(r)
	f.Section, f.Title = section, f.Text.T(title)
	h.addStaffPages(r, &f)
	f.Done = doneLine(r, f.Text)
	if f.Viewer == nil {
		return f, notifier.Badge{}
	}
	f.Paused = h.paused(r)
	if a == nil {
		now := h.announced(r)
		a = &now
	}
	return f, h.surround(r, &f, *a)
}

// doneLine returns the message for the address's done code, or nil if there is none.
func doneLine(r *http.Request, text *locale.Printer) *views.Done {
	code := r.URL.Query().Get("done")
	id, ok := doneTexts[code]
	if !ok {
		return nil
	}
	return &views.Done{Text: text.T(id), Bad: code == codeUntested}
}

// bareFrame returns a frame without any data from Redis or SQL.
func (h *Handlers) bareFrame(r *http.Request) views.Frame {
	v := visitOf(r)
	f := views.Frame{Text: h.text(r), Assets: h.assets, Links: h.LinkBase}
	if v.known {
		u := &v.user.User
		if h.Devices != nil {
			f.Push = h.Devices.PushKey()
		}
		f.Viewer = &views.Viewer{
			Name: u.Name, Shown: cmp.Or(u.Display, u.Name), Login: notifier.Browser(v.user.Session), Staff: u.HasRole(notifier.RoleStaff),
			Bell:  views.UnknownBell(f.Text),
			Theme: u.Theme, Compact: u.Compact, KeysOff: u.KeysOff, Proxied: v.user.Proxied, Pauses: h.Mailing || f.Push != "", Here: here(r),
		}
	}
	return f
}
