package handlers

import (
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// senderText is the sender of a notice as pages show it. Keys, rules and commands are shown with
// their kind; a user by name, and what
// they are called, alone unless that ends like a name with a kind.
func senderText(text *locale.Printer, r notifier.Ref, names called) string {
	shown := names.user(r.Name)
	switch {
	case r.Kind == notifier.KindKey:
		return text.F("sender.key", "Name", r.ID)
	case r.Kind == notifier.KindRule:
		return text.F("sender.rule", "Name", r.ID)
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
