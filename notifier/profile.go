package notifier

import (
	"encoding/json"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/language"
)

// A profile is how a user is displayed and reached: display name, mail address, language and time zone. It
// comes from systems that Carillon cannot correct, so an invalid profile never prevents a sign-in: invalid
// values are cleaned, cut or dropped here and noted for staff. Names, which identify users, are strict: see
// ValidName.

// Limits of profiles, in bytes.
const (
	MaxDisplay = 200
	MaxLocale  = 35   // longer than any tag in use; RFC 5646, section 4.4.1
	maxZone    = 64   // the longest name has 32
	maxValue   = 4096 // of a value that is parsed; the rest is cut off first
)

// Mend is how a value in a profile was corrected.
type Mend string

// The mends.
const (
	Unsaid  Mend = ""        // the profile has no such value
	Kept    Mend = "kept"    // the value is unchanged
	Cleaned Mend = "cleaned" // it was rewritten
	Cut     Mend = "cut"     // only its beginning is used
	Dropped Mend = "dropped" // it is unusable, and treated as missing
)

// ProfileNotes contains the correction of each value in a profile. The zero value describes an empty profile.
type ProfileNotes struct {
	Name   Mend `json:"name,omitempty"`
	Email  Mend `json:"email,omitempty"`
	Locale Mend `json:"locale,omitempty"`
	Zone   Mend `json:"zoneinfo,omitempty"`
}

// ParseProfileNotes parses the text written by String. Other texts give the zero value.
func ParseProfileNotes(text string) (n ProfileNotes) {
	if text != "" && json.Unmarshal([]byte(text), &n) != nil {
		return ProfileNotes{}
	}
	return n
}

// String returns the notes in their stored form; empty: nothing was corrected.
func (n ProfileNotes) String() string {
	for _, mend := range []*Mend{&n.Name, &n.Email, &n.Locale, &n.Zone} {
		if *mend == Kept {
			*mend = Unsaid
		}
	}
	if n == (ProfileNotes{}) {
		return ""
	}
	text, _ := json.Marshal(n) // never fails for four short texts
	return string(text)
}

// After returns the notes updated by newer ones: values that are not in newer keep their notes.
func (n ProfileNotes) After(newer ProfileNotes) ProfileNotes {
	for _, pair := range [][2]*Mend{{&n.Name, &newer.Name}, {&n.Email, &newer.Email}, {&n.Locale, &newer.Locale}, {&n.Zone, &newer.Zone}} {
		if *pair[1] != Unsaid {
			*pair[0] = *pair[1]
		}
	}
	return n
}

// CleanDisplay returns a display name: in UTF-8, on one line, without characters that are invisible or change
// the direction of surrounding text, and at most MaxDisplay bytes, cut between two visible characters
// (grapheme clusters). A text that is not UTF-8 is decoded as Windows-1252. A name without visible
// characters is Dropped.
func CleanDisplay(given string) (string, Mend) {
	if given == "" {
		return "", Kept
	}
	text := given
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "")
	}
	if !utf8.ValidString(text) {
		text, _ = charmap.Windows1252.NewDecoder().String(text) // each byte is a character
	}
	text = strings.Join(strings.Fields(strings.Map(showable, text)), " ")
	text = TrimName(text)
	short := cutDisplay(text, MaxDisplay)
	switch {
	case !strings.ContainsFunc(short, visible):
		return "", Dropped
	case short != text || len(given) > maxValue:
		return short, Cut
	case text != given:
		return text, Cleaned
	}
	return text, Kept
}

// showable replaces characters that a display name cannot contain.
func showable(r rune) rune {
	switch {
	case unicode.IsSpace(r), r == '\u2028', r == '\u2029', r == '\u0000':
		return ' '
	case r == '\u200c', r == '\u200d', unicode.Is(unicode.Variation_Selector, r):
		return r // these join and modify letters and emoji
	case forbidden(r), ignorable(r), r == utf8.RuneError:
		return -1
	}
	return r
}

// cutDisplay returns the longest prefix of at most this many bytes that ends between two visible characters. A
// cluster of marks longer than the limit is cut between any two runes.
func cutDisplay(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for !utf8.RuneStart(text[end]) {
		end--
	}
	for at := end; at > 0 && at > end-most/2; {
		next, _ := utf8.DecodeRuneInString(text[at:])
		last, size := utf8.DecodeLastRuneInString(text[:at])
		if !attached(next) && last != '\u200d' && (!flagged(next) || flagsBefore(text[:at])%2 == 0) {
			return strings.TrimRight(text[:at], " ")
		}
		at -= size
	}
	return text[:end]
}

// attached reports whether a character combines with the previous one.
func attached(r rune) bool {
	return unicode.Is(unicode.M, r) || r == '\u200c' || r == '\u200d' || unicode.Is(unicode.Variation_Selector, r) || r >= 0x1f3fb && r <= 0x1f3ff
}

// flagged reports whether a character is half of a flag.
func flagged(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func flagsBefore(text string) (n int) {
	for text != "" {
		r, size := utf8.DecodeLastRuneInString(text)
		if !flagged(r) {
			break
		}
		text = text[:len(text)-size]
		n++
	}
	return n
}

// CleanEmail returns the mail address in a text: see ParseEmail. It also accepts an address with a name
// (Ann <ann@example.com>), in quotes or brackets, or as a mailto: link, and returns the first of a list.
func CleanEmail(given string) (string, Mend) {
	if given == "" {
		return "", Kept
	}
	text := strings.TrimSpace(given)
	if len(text) > maxValue {
		return "", Dropped
	}
	for _, form := range []func(string) (text string, mend Mend){asSaid, unwrapped, firstListed} {
		one, mend := form(text)
		if address, err := ParseEmail(one); err == nil {
			if address != given && mend == Kept {
				mend = Cleaned
			}
			return address, mend
		}
	}
	return "", Dropped
}

func asSaid(text string) (string, Mend) { return text, Kept }

// unwrapped returns an address without a name, quotes and brackets.
func unwrapped(text string) (string, Mend) {
	text = strings.Trim(text, `"'<> `)
	if prefix := "mailto:"; len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		text = text[len(prefix):]
	}
	if parsed, err := mail.ParseAddress(text); err == nil {
		return parsed.Address, Cleaned
	}
	if open, end := strings.LastIndexByte(text, '<'), strings.LastIndexByte(text+">", '>'); open >= 0 && open < end {
		return (text + ">")[open+1 : end], Cleaned // net/mail accepts no domain such as bücher.example here
	}
	return text, Cleaned
}

// firstListed returns the first address of a list.
func firstListed(text string) (string, Mend) {
	if all, err := mail.ParseAddressList(text); err == nil && len(all) > 0 {
		return all[0].Address, Cut
	}
	first, _, _ := strings.Cut(strings.NewReplacer(";", ",", " ", ",").Replace(text), ",")
	first, _ = unwrapped(first)
	return first, Cut
}

// CleanLocale returns the language tag (BCP 47) in a text, which may be a POSIX locale such
// as de_DE.UTF-8, or the first tag of a list. C, POSIX and invalid tags are Dropped.
func CleanLocale(given string) (string, Mend) {
	if given == "" {
		return "", Kept
	}
	if len(given) <= MaxLocale && !strings.Contains(given, "_") {
		if _, err := language.Parse(given); err == nil {
			return given, Kept
		}
	}
	text := strings.TrimSpace(given[:min(len(given), 4*MaxLocale)])
	if end := strings.IndexAny(text, ".@,; "); end >= 0 {
		text = text[:end]
	}
	tag, err := language.Parse(text)
	if err != nil || tag.IsRoot() {
		return "", Dropped
	}
	if text = tag.String(); len(text) > MaxLocale { // extensions do not change the language
		base, script, region := tag.Raw()
		if tag, err = language.Compose(base, script, region); err != nil {
			return "", Dropped
		}
		text = tag.String()
	}
	return text, Cleaned
}

// CleanZone returns the name of a time zone (IANA). Any other text is Dropped.
func CleanZone(given string) (string, Mend) {
	text := strings.TrimSpace(given)
	if text == "" {
		return "", Kept
	}
	if len(text) > maxZone || !ValidZone(text) {
		return "", Dropped
	}
	if text != given {
		return text, Cleaned
	}
	return text, Kept
}
