package handlers

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// mostKeys is the largest number of entries that one form may name.
const mostKeys = 200

var errManyKeys = errors.New("a form names too many entries")

// fieldLimit ends a form at its first field too many, while it is read.
type fieldLimit struct {
	io.ReadCloser
	left int
}

func (l *fieldLimit) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= strings.Count(string(p[:n]), "&"); l.left < 0 {
		return 0, errManyKeys
	}
	return n, err
}

// keysForm reads a form about one or more entries: the field `key` occurs once for each of them, each
// of single at most once. Only a form that lists what to
// undo, in `keys` or `ids`, needs no key.
func keysForm(r *http.Request, single ...string) ([]string, url.Values, error) {
	r.Body = &fieldLimit{r.Body, mostKeys + len(single)} // and the name of the page's user
	values, err := formWith(r, []string{"key"}, single...)
	keys := values["key"]
	if errors.Is(err, errManyKeys) || err == nil && len(keys) > mostKeys {
		var bad notifier.InvalidError
		bad.Add("key", notifier.CodeTooManyKeys, map[string]any{"Max": mostKeys})
		return nil, values, &bad
	}
	if err == nil && values.Get("key") == "" && values.Get("keys") == "" && values.Get("ids") == "" {
		err = missing("key")
	}
	return keys, values, err
}

// keyList parses the keys that Undo lists in one field.
func keyList(list string) []string {
	keys := strings.Split(list, "\n")
	for i := range keys {
		keys[i] = strings.TrimSuffix(keys[i], "\r")
	}
	return keys[:min(len(keys), mostKeys)]
}

// keyListed is the field that keyList parses.
func keyListed(keys []string) views.Hidden {
	return views.Hidden{Name: "keys", Value: kept(strings.Join(keys, "\n"))}
}
