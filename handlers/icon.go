package handlers

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/notifier"
)

// icons maps words in type slugs to icons. A type with none of these words gets its initials.
var icons = []struct {
	name  string
	words []string
}{
	{"heart", []string{"like", "love", "favorite", "favourite"}},
	{"message-circle", []string{"comment", "message", "mention", "reply", "chat"}},
	{"user-plus", []string{"follow", "invite", "join", "friend", "member"}},
	{"star", []string{"welcome", "badge", "award", "review", "rating"}},
	{"truck", []string{"shipment", "shipping", "delivery"}},
	{"package", []string{"order", "stock", "rep_notice", "warehouse", "parcel"}},
	{"receipt", []string{"invoice", "payment", "refund", "billing"}},
	{"clock", []string{"reminder", "due", "deadline", "expiry"}},
	{"calendar", []string{"meeting", "event", "booking", "appointment"}},
	{"file-text", []string{"report", "document", "export", "file"}},
	{"shield", []string{"security", "login", "password", "account"}},
	{"triangle-alert", []string{"alert", "warning", "error", "failure", "incident"}},
	{"server", []string{"deploy", "build", "system", "maintenance"}},
	{"megaphone", []string{"announcement", "news", "release"}},
}

// derived is how many of notifier.TypeColors are assigned by slug; the others can only be chosen.
const derived = 6

// look is the appearance of a type's rows: an icon, or initials if it has none, and a colour.
type look struct{ icon, initials, tint string }

// looks caches the appearance derived from each slug. An installation has few types.
type looks struct{ types *otter.Cache[string, look] }

const rememberedTypes = 1000

func newLooks() looks {
	return looks{otter.Must(&otter.Options[string, look]{MaximumSize: rememberedTypes})}
}

func (l looks) of(typ string) look {
	found, ok := l.types.GetIfPresent(typ)
	if !ok {
		found = lookOf(typ)
		l.types.Set(typ, found)
	}
	return found
}

// lookOf returns a type's appearance: what staff chose, otherwise what its slug gives.
func (h *Handlers) lookOf(typ string) look {
	found := h.looks.of(typ)
	t, _ := h.knownType(typ)
	if t.Icon != "" {
		found.icon = t.Icon
	}
	if t.Color != "" {
		found.tint = t.Color
	}
	return found
}

// tintOf returns the colour that is derived from a text.
func tintOf(text string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(text)) // a hash never fails
	return notifier.TypeColors()[sum.Sum32()%derived]
}

func lookOf(typ string) look {
	tint := tintOf(typ)
	words := strings.FieldsFunc(typ, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for _, i := range icons {
		for _, word := range i.words {
			if word == typ || contains(words, word) {
				return look{i.name, "", tint}
			}
		}
	}
	var first strings.Builder
	for _, word := range words[:min(len(words), 2)] {
		c, _ := utf8.DecodeRuneInString(word)
		first.WriteRune(unicode.ToUpper(c))
	}
	return look{"", first.String(), tint}
}
