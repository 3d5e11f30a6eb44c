package handlers

import (
	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/notifier"
)

// looks caches the appearance derived from each slug. An installation has few types.
type looks struct {
	types *otter.Cache[string, notifier.Look]
}

const rememberedTypes = 1000

func newLooks() looks {
	return looks{otter.Must(&otter.Options[string, notifier.Look]{MaximumSize: rememberedTypes})}
}

func (l looks) of(typ string) notifier.Look {
	found, ok := l.types.GetIfPresent(typ)
	if !ok {
		found = notifier.LookOf(typ)
		l.types.Set(typ, found)
	}
	return found
}

// lookOf returns a type's appearance: what staff chose, otherwise what its slug gives.
func (h *Handlers) lookOf(typ string) notifier.Look {
	t, _ := h.knownType(typ)
	return h.looks.of(typ).Chosen(&t)
}
