package handlers

import (
	"net/http"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/notifier"
)

// access determines who may use an address.
type access int

const (
	public   access = iota // open to all; the session is not read
	anyone                 // open to all; the page shows the signed-in user
	signedIn               // others are redirected to the login page
	staff                  // others get 404
)

// anyMethod matches all methods of an address.
const anyMethod = "*"

type handler func(w http.ResponseWriter, r *http.Request) error

type route struct {
	method  string
	pattern string
	who     access
	handle  handler
}

// routes lists every address. GET routes also serve HEAD.
func (h *Handlers) routes() []route {
	return []route{
		{"GET", "/{$}", public, h.home},
		{"GET", "/login", anyone, h.loginForm},
		{"POST", "/login", anyone, h.login},
		{"GET", identity.OIDCPath, anyone, h.providerForm},
		{"GET", identity.OIDCPath + "/callback", anyone, h.providerAnswer},
		{"POST", "/logout", anyone, h.logout},

		{"GET", "/inbox", signedIn, h.inbox},
		{"GET", "/inbox/panel", signedIn, h.panel},
		{"POST", "/inbox/read", signedIn, h.markRead},
		{"POST", "/inbox/unread", signedIn, h.markUnread},
		{"POST", "/inbox/delete", signedIn, h.deleteEntries},
		{"POST", "/inbox/restore", signedIn, h.restoreEntries},
		{"POST", "/inbox/archive", signedIn, h.archiveEntries},
		{"POST", "/inbox/unarchive", signedIn, h.unarchiveEntries},
		{"POST", "/inbox/read-all", signedIn, h.readAll},
		{"GET", followPath + "{id}", signedIn, h.follow},

		{"GET", announcementsPath, signedIn, h.announcements},
		{"GET", announcementsPath + "/pinned", signedIn, h.pinned},
		{"GET", announcementsPath + "/{id}", signedIn, h.announcement},
		{"POST", announcementsPath + "/{id}/read", signedIn, h.readAnnouncement},
		{"POST", announcementsPath + "/{id}/unread", signedIn, h.unreadAnnouncement},
		{"POST", announcementsPath + "/read-all", signedIn, h.readAnnouncements},
		{"POST", announcementsPath + "/unread", signedIn, h.unreadAnnouncements},

		{"GET", eventsPath, anyone, h.events},
		{"POST", eventsPath + "/active", signedIn, h.active},
		{"POST", "/toasts/ack", signedIn, h.ackToasts},
		{"GET", "/keys", signedIn, h.keys},
		{"GET", "/commands", signedIn, h.commands},
		{"GET", "/settings", signedIn, h.settings},
		{"POST", "/settings", signedIn, h.saveSettings},
		{"POST", "/settings/mute", signedIn, h.mute},
		{"POST", preferencesPath, signedIn, h.savePreferences},
		{"POST", "/settings/pause", signedIn, h.pause},
		{"POST", "/inbox/seen", signedIn, h.dismissNew},
		{"POST", "/inbox/snooze", signedIn, h.snoozeEntry},
		{"POST", "/inbox/wake", signedIn, h.wakeEntry},
		{"POST", "/inbox/answer", signedIn, h.answerEntry},
		{"POST", "/inbox/take", signedIn, h.doTask(notifier.DeedTake)},
		{"POST", "/inbox/done", signedIn, h.doTask(notifier.DeedDone)},
		{"POST", "/inbox/give-back", signedIn, h.doTask(notifier.DeedGiveBack)},
		{"POST", "/settings/mail", signedIn, h.tryOwnMail},
		{"POST", "/settings/subscriptions", signedIn, h.subscribeSelf},
		{"POST", passwordPath, signedIn, h.changePassword},
		{"POST", sessionsPath + "/{id}/end", signedIn, h.endSession},
		{"POST", devicesPath, signedIn, h.registerDevice},
		{"POST", devicesPath + "/{id}/delete", signedIn, h.removeDevice},
		{"POST", devicesPath + "/{id}/test", signedIn, h.testDevice},
		{"GET", "/sw.js", public, h.worker},
		{"GET", "/manifest.webmanifest", public, h.manifest},

		{"GET", sendPath, staff, h.sendForm},
		{"POST", sendPath, staff, h.send},
		{"POST", sendPath + "/drafts/delete", staff, h.deleteDraft},
		{"POST", sendPath + "/drafts/restore", staff, h.restoreDraft},
		{"GET", "/staff/notices", staff, h.notices},
		{"GET", exportPath, staff, h.exportNotices},
		{"GET", "/staff/notices/{id}", staff, h.notice},
		{"GET", "/staff/notices/{id}/edit", staff, h.editForm},
		{"POST", "/staff/notices/{id}/edit", staff, h.edit},
		{"GET", "/staff/notices/{id}/unread", staff, h.unreadBy},
		{"POST", "/staff/notices/{id}/retract", staff, h.retract},
		{"POST", "/staff/notices/{id}/remind", staff, h.remind},
		{"POST", "/staff/notices/{id}/delete", staff, h.deleteNotice},
		{"GET", usersPath, staff, h.users},
		{"GET", importPath, staff, h.importForm},
		{"POST", importPath, staff, h.importPeople},
		{"POST", usersPath, staff, h.changeUsers},
		{"GET", usersPath + "/{name}", staff, h.person},
		{"POST", usersPath + "/{name}", staff, h.personForm},
		{"GET", rolesPath, staff, h.roles},
		{"POST", rolesPath, staff, h.changeRoles},
		{"GET", rolesPath + "/{name}", staff, h.role},
		{"POST", rolesPath + "/{name}", staff, h.roleForm},
		{"GET", subscriptionsPath, staff, h.subscriptions},
		{"POST", subscriptionsPath, staff, h.changeSubscriptions},
		{"GET", typesPath, staff, h.noticeTypes},
		{"POST", typesPath, staff, h.saveType},
		{"GET", rulesPath, staff, h.rules},
		{"POST", rulesPath, staff, h.runRule},
		{"GET", appsPath, staff, h.apps},
		{"POST", appsPath, staff, h.addApp},
		{"GET", appsPath + "/{id}", staff, h.app},
		{"POST", appsPath + "/{id}", staff, h.changeApp},
		{"GET", apiKeysPath, staff, h.apiKeys},
		{"POST", apiKeysPath, staff, h.changeAPIKeys},
		{"GET", hooksPath, staff, h.hookList},
		{"POST", hooksPath, staff, h.addHook},
		{"GET", hooksPath + "/{id}", staff, h.hookOne},
		{"POST", hooksPath + "/{id}", staff, h.changeHook},
		{"GET", questionsPath, staff, h.questions},
		{"GET", questionsExport, staff, h.exportQuestions},
		{"GET", tasksPath, staff, h.tasks},
		{"GET", deadLettersPath, staff, h.deadLetters},
		{"POST", deadLettersPath + "/{id}/replay", staff, h.replayDeadLetter},
		{"POST", deadLettersPath + "/{id}/delete", staff, h.discardDeadLetter},
		{"GET", mailsPath, staff, h.mailList},
		{"GET", mailsPath + "/{id}", staff, h.mailPage},
		{"GET", mailsPath + "/{id}/html", staff, h.mailHTML},
		{"GET", componentsPath, staff, h.showcase},
		{"GET", "/staff/names", staff, h.names},

		{"GET", unsubscribePath + "{token}", public, h.unsubscribePage},
		{"POST", unsubscribePath + "{token}", public, h.stopTelling},
		{"GET", unsubscribePath + "{token}/settings", public, h.showTokenSettings},
		{"POST", unsubscribePath + "{token}/settings", public, h.saveTokenSettings},
		{"GET", openPath + "{token}", public, h.openLink},
		{"GET", "/board/{role}/{token}", public, h.board},

		{"GET", "/static/", public, h.static},
		{"GET", "/embed/{file}", public, h.embedded},
		{"GET", "/healthz", public, h.healthy},
		{"GET", "/readyz", public, h.ready},
		{anyMethod, "/", anyone, h.nowhere},
	}
}

// methods maps HTTP methods to the routes of one pattern.
type methods map[string]route

// byPattern groups the routes by pattern, to distinguish a wrong method from an unknown address.
func (h *Handlers) byPattern() map[string]methods {
	patterns := map[string]methods{}
	for _, rt := range h.routes() {
		if patterns[rt.pattern] == nil {
			patterns[rt.pattern] = methods{}
		}
		patterns[rt.pattern][rt.method] = rt
	}
	return patterns
}

// find returns the route for a method.
func (m methods) find(method string) (route, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	rt, ok := m[method]
	if !ok {
		rt, ok = m[anyMethod]
	}
	return rt, ok
}

// who returns the access of the address; all its methods have the same.
func (m methods) who() access {
	for _, rt := range m {
		return rt.who
	}
	return public
}

// allowed returns the Allow header.
func (m methods) allowed() string {
	var names []string
	for name := range m {
		names = append(names, name)
		if name == http.MethodGet {
			names = append(names, http.MethodHead)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
