package handlers

import (
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/maypok86/otter/v2"
)

// icons are the icons of types, by words in their slugs. A type with none of these words is shown
// by its initials.
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

// tints is the number of colours; see tailwind.config.js.
const tints = 6

// look is how rows of one type look: an icon, or initials if it has none, and a colour. The same
// type always looks the same.
type look struct{ icon, initials, tint string }

// looks caches the look of each type. An installation has few types.
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

func lookOf(typ string) look {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(typ)) // a hash never fails
	tint := strconv.FormatUint(uint64(sum.Sum32()%tints)+1, 10)
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
