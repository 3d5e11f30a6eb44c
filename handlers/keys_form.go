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

// mostKeys is the maximum number of entries in one form.
const mostKeys = 200

var errManyKeys = errors.New("a form names too many entries")

// fieldLimit aborts reading a form at the first field over the limit.
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

// keysForm parses a form about one or more entries. The field "key" is repeated for each; every field in single occurs
// at most once. Only a form of Undo, with "keys" or "ids", needs no key.
func keysForm(r *http.Request, single ...string) ([]string, url.Values, error) {
	r.Body = &fieldLimit{r.Body, mostKeys + len(single)} // one more for the name of the page's user
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

// keyList parses the keys in the single field of an Undo form.
func keyList(list string) []string {
	keys := strings.Split(list, "\n")
	for i := range keys {
		keys[i] = strings.TrimSuffix(keys[i], "\r")
	}
	return keys[:min(len(keys), mostKeys)]
}

// keyListed builds the field that keyList parses.
func keyListed(keys []string) views.Hidden {
	return views.Hidden{Name: "keys", Value: kept(strings.Join(keys, "\n"))}
}
