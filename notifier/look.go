package notifier

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// derivedIcons maps words in type slugs to icons. A type with none of these words gets its initials.
var derivedIcons = []struct {
	name  string
	words []string
}{
	{"heart", []string{"like", "love", "favorite", "favourite"}},
	{"at-sign", []string{"mention", "mentioned"}},
	{"message-circle", []string{"comment", "message", "reply", "chat"}},
	{"user-plus", []string{"follow", "invite", "join", "friend", "member"}},
	{"star", []string{"welcome", "badge", "award", "review", "rating"}},
	{"clock", []string{"late", "delayed", "overdue"}},
	{"truck", []string{"shipment", "shipping", "shipped", "delivery"}},
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

// derivedColors is how many of TypeColors are assigned by slug; the others can only be chosen.
const derivedColors = 6

// Look is the appearance of a type's rows.
type Look struct {
	Icon     string `json:"icon,omitempty"`     // one of TypeIcons, or another name in static/icons; empty: show the initials
	Initials string `json:"initials,omitempty"` // empty if there is an icon
	Tint     string `json:"color"`              // one of TypeColors
}

// TintOf returns the color that is derived from a text.
func TintOf(text string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(text)) // a hash never fails
	return TypeColors()[sum.Sum32()%derivedColors]
}

// LookOf returns the appearance that is derived from a type.
func LookOf(typ string) Look {
	tint := TintOf(typ)
	words := strings.FieldsFunc(typ, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	for _, i := range derivedIcons {
		for _, word := range i.words {
			if word == typ || slices.Contains(words, word) {
				return Look{i.name, "", tint}
			}
		}
	}
	var first strings.Builder
	for _, word := range words[:min(len(words), 2)] {
		c, _ := utf8.DecodeRuneInString(word)
		first.WriteRune(unicode.ToUpper(c))
	}
	return Look{"", first.String(), tint}
}

// Chosen returns the appearance with what staff chose for the type.
func (l Look) Chosen(t *NoticeType) Look {
	if t.Icon != "" {
		l.Icon = t.Icon
	}
	if t.Color != "" {
		l.Tint = t.Color
	}
	return l
}
