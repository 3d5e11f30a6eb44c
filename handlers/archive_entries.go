package handlers

import (
	"errors"
	"fmt"
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

// keysForm reads a form with one or more fields `key` and the given other fields.
func keysForm(r *http.Request, fields ...string) ([]string, url.Values, error) {
	r.Body = &fieldLimit{r.Body, mostKeys + len(fields)} // and the name of the page's user
	values, err := formWith(r, "key", fields...)
	keys := values["key"]
	if errors.Is(err, errManyKeys) || err == nil && len(keys) > mostKeys {
		var bad notifier.InvalidError
		bad.Add("key", notifier.CodeTooManyKeys, map[string]any{"Max": mostKeys})
		return nil, values, &bad
	}
	if err == nil && values.Get("key") == "" {
		err = missing("key")
	}
	return keys, values, err
}

// archiveEntries archives entries, and offers to undo that.
func (h *Handlers) archiveEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "back")
	if err != nil {
		return err
	}
	if len(keys) == 1 {
		if err := h.seen(r, values); err != nil {
			return err
		}
	}
	moved, badge, err := h.Inbox.Archive(r.Context(), seqOf(r), keys)
	if err != nil {
		return fmt.Errorf("archive entries: %w", err)
	}
	undo := unarchiveFields(moved)
	if at := number(values.Get("at")); fragment(r) && len(keys) == 1 && at > 0 {
		undo = append(undo, views.Hidden{Name: "at", Value: idText(at)}, views.Hidden{Name: "back", Value: values.Get("back")})
		done := &views.Done{Text: h.text(r).T("done.archived"), Undo: &views.Undo{
			Action: "/inbox/unarchive", Target: "#e" + idText(at), Fields: undo,
		}}
		return h.hiddenPart(w, r, at, values.Get("back"), badge, done)
	}
	say := url.Values{"done": {"archived"}}
	if len(moved.Keys) == 1 {
		for _, f := range undo {
			say.Set(f.Name, f.Value)
		}
	}
	redirect(w, backTo(values.Get("back"), say))
	return nil
}

// unarchiveFields names the entries to move back, and says whether a single one was unread.
func unarchiveFields(moved notifier.Moved) (fields []views.Hidden) {
	for _, key := range moved.Keys {
		fields = append(fields, views.Hidden{Name: "key", Value: kept(key)})
	}
	if len(moved.Keys) == 1 && len(moved.Unread) == 1 {
		fields = append(fields, views.Hidden{Name: "unread", Value: "1"})
	}
	return fields
}

// unarchiveEntries moves entries back to the inbox, on any instance. As Undo it also marks an entry
// as unread again that was unread.
func (h *Handlers) unarchiveEntries(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "at", "unread", "back")
	if err != nil {
		return err
	}
	moved, badge, err := h.Inbox.Unarchive(r.Context(), seqOf(r), keys)
	if err == nil && values.Get("unread") == "1" && len(moved.Keys) == 1 {
		badge, err = h.Inbox.Unread(r.Context(), seqOf(r), moved.Keys[0])
	}
	if err != nil {
		return fmt.Errorf("unarchive entries: %w", err)
	}
	back := values.Get("back")
	code := "restored"
	archive := queryOf(back).Archived || fragment(r) && queryOf(shownPage(r)).Archived // Undo may be pressed there, too
	if archive {
		code = "unarchived"
	}
	done := &views.Done{Text: h.text(r).T(doneTexts[code])}
	switch at := number(values.Get("at")); {
	case fragment(r) && archive && at > 0:
		return h.hiddenPart(w, r, at, back, badge, done)
	case fragment(r) && !archive && len(keys) == 1:
		return h.rowPart(w, r, keys[0], back, badge, done)
	}
	redirect(w, backTo(back, url.Values{"done": {code}}))
	return nil
}
