package notifier

import (
	"slices"
	"strconv"
	"strings"
)

// ParseNames reads the form field `to`: names separated by commas or lines.
// Spaces around a name, empty ones and repetitions fall away.
func ParseNames(text string) []string {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' })
	names := fields[:0]
	for _, f := range fields {
		if f = strings.TrimSpace(f); f != "" {
			names = append(names, f)
		}
	}
	return foldNames(names)
}

func (t *Target) check(audiences []Audience, bad *InvalidError) {
	given := 0
	for _, is := range []bool{len(t.Users) > 0, t.Role != "", t.Topic != Topic{}, len(t.Audiences) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		bad.Add("target", CodeOneTarget, nil)
	case given == 0:
		bad.Add("to", CodeRequired, nil)
	case t.Role != "":
		checkName(t.Role, bad)
	case t.Topic != Topic{}:
		t.Topic.checkTarget(bad)
	case len(t.Audiences) > 0:
		for _, a := range t.Audiences {
			if a < 1 || len(audiences) > 0 && !slices.Contains(audiences, a) {
				bad.Add("to", CodeUnknownAudience, map[string]any{"Name": strconv.Itoa(int(a))})
				return
			}
		}
	default:
		for _, name := range t.Users {
			if !checkName(name, bad) {
				return // one example is enough
			}
		}
	}
}

// checkName keeps out what no directory can hold. Whether somebody bears the
// name is for route to say.
func checkName(name string, bad *InvalidError) bool {
	if ValidName(name) {
		return true
	}
	bad.Add("to", CodeBadName, map[string]any{"Name": excerpt(name)})
	return false
}

// excerpt is what of a wrong name can be shown back.
func excerpt(name string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(name, "\ufffd") {
		if forbidden(r) {
			r = '\ufffd'
		}
		if b.Len() >= 40 {
			return b.String() + "…"
		}
		b.WriteRune(r)
	}
	return b.String()
}

// foldNames keeps the first of each name. The result shares nothing with names.
func foldNames(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	seen := make(map[string]bool, len(names))
	folded := make([]string, 0, len(names))
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			folded = append(folded, name)
		}
	}
	return folded
}
