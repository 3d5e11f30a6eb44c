package handlers

import (
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// senderText is the sender of a notice as pages show it. Keys, rules and commands are shown with
// their kind; a user by name alone, unless the name ends like one with a kind.
func senderText(text *locale.Printer, r notifier.Ref) string {
	switch {
	case r.Kind == notifier.KindKey:
		return text.F("sender.key", "Name", r.ID)
	case r.Kind == notifier.KindRule:
		return text.F("sender.rule", "Name", r.ID)
	case r.Kind == notifier.KindCommand:
		return text.F("sender.command", "Name", r.ID)
	case r.String() == "":
		return text.T("sender.deleted")
	case strings.HasSuffix(r.Name, ")"), strings.HasSuffix(r.Name, "）"):
		return text.F("sender.user", "Name", r.Name)
	}
	return r.String()
}
