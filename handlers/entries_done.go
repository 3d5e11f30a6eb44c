package handlers

import (
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// longestDone is the longest address, with the fields of Undo, that browsers and proxies surely accept.
const longestDone = 6000

// undoes maps a done code to its Undo: the form's action, its fields, and the text for several entries.
var undoes = map[string]struct {
	action string
	fields []string
	many   string
}{
	"deleted":    {"/inbox/restore", []string{"key"}, "done.deleted_many"},
	"archived":   {"/inbox/unarchive", []string{"key", "unread"}, "done.archived_many"},
	"snoozed":    {"/inbox/restore", []string{"key"}, "done.snoozed_many"},
	"unarchived": {"/inbox/archive", []string{"key"}, "done.unarchived_many"},
	"read":       {"/inbox/unread", []string{"keys"}, "done.read_many"},
	"unread":     {"/inbox/read", []string{"keys"}, "done.unread_many"},
}

// alone reports whether a form names a single entry, so that only its row needs replacing. The form of the selected
// rows and its Undo replace the whole list.
func alone(r *http.Request, keys []string) bool { return len(keys) == 1 && !inPart(r, "inbox") }

// changedAll responds to a change of several entries with the whole list and an Undo with these fields. A plain form
// is redirected to the list, unless the fields make the address too long.
func (h *Handlers) changedAll(w http.ResponseWriter, r *http.Request, back, code string, fields []views.Hidden) error {
	say := url.Values{"done": {code}}
	for _, f := range fields {
		say.Add(f.Name, f.Value)
	}
	done := entriesDone(h.text(r), say)
	if to := backTo(back, say); !fragment(r) && len(to) <= longestDone {
		redirect(w, r, to)
		return nil
	}
	if fragment(r) && done.Undo != nil {
		done.Undo.Target, done.Undo.Select = "#inbox", "#inbox"
	}
	return h.lookedAt(w, r, queryOf(back), done)
}

// entriesDone returns the message about a change of entries, with Undo if possible, or nil if say has no known done
// code.
func entriesDone(text *locale.Printer, say url.Values) *views.Done {
	code := say.Get("done")
	id, ok := doneTexts[code]
	if !ok {
		return nil
	}
	done, undo := &views.Done{Text: text.T(id)}, undoes[code]
	var fields []views.Hidden
	for _, name := range undo.fields {
		for _, value := range say[name] {
			if value != "" {
				fields = append(fields, views.Hidden{Name: name, Value: kept(value)})
			}
		}
	}
	n := len(say["key"])
	if say.Has("keys") {
		n = len(keyList(say.Get("keys")))
	}
	switch {
	case n == 0, n > mostKeys, len(undo.fields) == 0:
		return done
	case n > 1:
		done.Text = text.N(undo.many, int64(n))
	}
	done.Undo = &views.Undo{Action: undo.action, Fields: fields}
	return done
}
