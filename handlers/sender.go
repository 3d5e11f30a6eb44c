package handlers

import (
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// senderText is a notice's sender as pages show it. Keys, rules and commands have their kind in parentheses. A user
// has name and display name only, unless these end like a kind.
func senderText(text *locale.Printer, r notifier.Ref, names called) string {
	shown := names.user(r.Name)
	switch {
	case r.Kind == notifier.KindKey:
		return text.F("sender.key", "Name", r.ID)
	case r.Kind == notifier.KindRule:
		return text.F("sender.rule", "Name", r.ID)
	case r.Kind == notifier.KindOutbox:
		return text.F("sender.outbox", "Name", r.ID)
	case r.Kind == notifier.KindCommand:
		return text.F("sender.command", "Name", r.ID)
	case r.String() == "":
		return text.T("sender.deleted")
	case r.Kind != notifier.KindUser:
		return r.String()
	case strings.HasSuffix(shown, ")"), strings.HasSuffix(shown, "）"):
		return text.F("sender.user", "Name", shown)
	}
	return shown
}
