package handlers

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/views/locale"
)

// typeNames returns the names of types and topics in a reader's language.
type typeNames struct {
	topics *topic.Topics
	text   *locale.Printer
}

func (h *Handlers) typeNames(text *locale.Printer) typeNames { return typeNames{h.Topics, text} }

// of returns a type's name.
func (n typeNames) of(typ string) string { return n.topics.Name(typ, n.text.Lang()) }

// words returns a type's name as readers see it: a slug without a name reads as words.
func (n typeNames) words(typ string) string {
	if name := n.given(typ); name != "" {
		return name
	}
	words := strings.Join(strings.FieldsFunc(typ, func(c rune) bool { return strings.ContainsRune("._-", c) }), " ")
	first, size := utf8.DecodeRuneInString(words)
	if size == 0 {
		return typ
	}
	return string(unicode.ToUpper(first)) + words[size:]
}

// given returns a type's name, or "" if the type has only its slug.
func (n typeNames) given(typ string) string {
	if name := n.of(typ); name != typ {
		return name
	}
	return ""
}

// matching returns the types whose slug or name contains part, up to a limit; slugs that begin with it come first.
func (n typeNames) matching(part string, limit int) (slugs []string) {
	part = strings.ToLower(part)
	var others []string
	for _, t := range n.topics.Types() {
		switch {
		case strings.HasPrefix(t.Slug, part):
			slugs = append(slugs, t.Slug)
		case strings.Contains(t.Slug, part), strings.Contains(strings.ToLower(n.words(t.Slug)), part):
			others = append(others, t.Slug)
		}
	}
	slugs = append(slugs, others...)
	return slugs[:min(len(slugs), limit)]
}

// topic returns a topic's name.
func (n typeNames) topic(t notifier.Topic) string {
	if t.Scope == "" {
		return n.of(t.Type)
	}
	return n.text.F("topic.scoped", "Type", n.of(t.Type), "Scope", t.Scope)
}

// reason explains why the reader got a notice. code is from notifier.Notice.ReasonFor.
func (n typeNames) reason(code string) string {
	switch word, rest := notifier.SplitReason(code); word {
	case notifier.ReasonRole:
		return n.text.F("reason.role", "Name", rest)
	case notifier.ReasonTopic:
		typ, scope, _ := strings.Cut(rest, ":")
		return n.text.F("reason.topic", "Topic", n.topic(notifier.Topic{Type: typ, Scope: scope}))
	case notifier.ReasonAudience:
		return n.text.T("reason.audience")
	default:
		return n.text.T("reason.user")
	}
}

// brief is the reason in a word or two: the role or the topic. It is "" for a notice sent to the reader by name.
func (n typeNames) brief(code string) string {
	switch word, rest := notifier.SplitReason(code); word {
	case notifier.ReasonRole:
		return rest
	case notifier.ReasonTopic:
		typ, scope, _ := strings.Cut(rest, ":")
		return n.topic(notifier.Topic{Type: typ, Scope: scope})
	case notifier.ReasonAudience:
		return n.text.T("reason.everyone")
	default:
		return ""
	}
}

// kind returns the type as a row shows it, or "" if the type has only its slug or the reason contains it already.
func (n typeNames) kind(typ, reason string) string {
	if word, rest := notifier.SplitReason(reason); word == notifier.ReasonTopic && strings.HasPrefix(rest, typ+":") {
		return ""
	}
	return n.given(typ)
}

// usualLife returns the lifetime of this type's notices if the sender does not set one.
func (h *Handlers) usualLife(typ string) time.Duration {
	if life := h.Topics.Expiry(typ); life > 0 {
		return min(life, h.Keep)
	}
	return h.Keep
}

// summedTypes caches a hash of the properties of types that rows show.
type summedTypes struct {
	types []notifier.NoticeType
	sum   uint64
}

// sumOfTypes is equal on all instances with the same types. A change of types creates a new slice, so each slice is
// hashed once.
func (h *Handlers) sumOfTypes(last *atomic.Pointer[summedTypes]) uint64 {
	types := h.Topics.Types()
	if len(types) == 0 {
		return 0
	}
	if known := last.Load(); known != nil && len(known.types) == len(types) && &known.types[0] == &types[0] {
		return known.sum
	}
	var parts []string
	for _, t := range types {
		// A type without names or settings looks like an unknown one.
		if len(t.Names) == 0 && !t.NoMute && t.Icon == "" && t.Color == "" {
			continue
		}
		parts = append(parts, t.Slug, strconv.FormatBool(t.NoMute), t.Icon, t.Color)
		for _, lang := range slices.Sorted(maps.Keys(t.Names)) {
			parts = append(parts, lang, t.Names[lang])
		}
	}
	found := &summedTypes{types, sum(parts...)}
	last.Store(found)
	return found.sum
}
