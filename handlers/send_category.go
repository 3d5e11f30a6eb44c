package handlers

import (
	"cmp"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// category returns what the type in the form is to people: its icon and name. Without one it is a message, but no topic.
func (h *Handlers) category(text *locale.Printer, f *views.SendForm) *views.Category {
	slug := strings.Trim(f.Type, " ")
	if slug == "" && f.Target == "topic" {
		return nil
	}
	slug = cmp.Or(slug, notifier.TypeMessage)
	look := h.lookOf(slug)
	c := &views.Category{Mark: views.Mark{Icon: look.Icon, Initials: look.Initials, Tint: look.Tint}, Name: text.T("send.type_unseen")}
	if _, known := h.knownType(slug); known || slug == notifier.TypeMessage {
		c.Name = h.typeNames(text).words(slug)
	}
	return c
}
