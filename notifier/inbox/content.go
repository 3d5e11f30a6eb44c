package inbox

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

// decodeContent decodes the output of notifier.EncodeContent. Decoding the 30 contents of a page with
// encoding/json would dominate the time of the page, so the text is first parsed in exactly the
// layout that the encoder writes; any other text goes to encoding/json. Strings without escapes
// share memory with text.
func decodeContent(text string) (notifier.Content, error) {
	if c, ok := decodeLaidOut(text); ok {
		return c, nil
	}
	var c notifier.Content
	err := json.Unmarshal([]byte(text), &c)
	return c, err
}

func decodeLaidOut(text string) (c notifier.Content, ok bool) {
	rest, ok := strings.CutPrefix(text, "{")
	if !ok || !utf8.ValidString(text) {
		return c, false
	}
	if value, edited := strings.CutPrefix(rest, `"rev":`); edited {
		digits, after, _ := strings.Cut(value, ",")
		var err error
		if c.Revision, err = strconv.ParseInt(digits, 10, 64); err != nil || strconv.FormatInt(c.Revision, 10) != digits {
			return c, false
		}
		rest = after
	}
	var created string
	for _, f := range []struct {
		name     string
		to       *string
		optional bool
	}{
		{`"type":`, &c.Type, false},
		{`,"scope":`, &c.Scope, true},
		{`,"title":`, &c.Title, false},
		{`,"body":`, &c.Body, false},
		{`,"link":`, &c.Link, false},
		{`,"created_at":`, &created, false},
		{`,"reason":`, &c.Reason, false},
	} {
		value, found := strings.CutPrefix(rest, f.name)
		if !found {
			if f.optional {
				continue
			}
			return c, false
		}
		if *f.to, rest, ok = cutString(value); !ok {
			return c, false
		}
	}
	err := c.CreatedAt.UnmarshalText([]byte(created))
	return c, err == nil && rest == "}"
}

// cutString cuts a JSON string off the start of s.
func cutString(s string) (value, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", "", false
	}
	escaped := false
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			if !escaped {
				return s[1:i], s[i+1:], true
			}
			err := json.Unmarshal([]byte(s[:i+1]), &value)
			return value, s[i+1:], err == nil
		case s[i] == '\\':
			escaped = true
			i++
		case s[i] < ' ':
			return "", "", false
		}
	}
	return "", "", false
}
