package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// listOf builds a list with its column headers, whose text IDs begin with prefix.
func listOf(r *http.Request, text *locale.Printer, l listing, prefix string, columns ...string) views.List {
	list := views.List{Query: l.search, Sort: l.said(), Here: shownAddress(r)}
	for _, name := range columns {
		list.Columns = append(list.Columns, l.column(text, prefix, name))
	}
	return list
}

// nothing returns the text for an empty list; a search without results has another one.
func nothing(text *locale.Printer, icon, prefix string, searched bool) components.Empty {
	if searched {
		return components.Empty{Icon: "search", Heading: text.T(prefix + "nothing_heading"), Text: text.T(prefix + "nothing_text")}
	}
	return components.Empty{Icon: icon, Heading: text.T(prefix + "empty_heading"), Text: text.T(prefix + "empty_text")}
}

// faultsOf puts the first error of each field beside it. Errors of other fields go to the form as a whole.
func faultsOf(text *locale.Printer, bad *notifier.InvalidError, fields ...string) views.Faults {
	faults := views.Faults{Of: map[string]string{}}
	for _, f := range bad.Fields {
		field := f.Field
		if !contains(fields, field) {
			field = ""
		}
		if faults.Of[field] == "" {
			faults.Of[field] = faultText(text, f)
		}
	}
	for _, field := range fields {
		if faults.Of[field] != "" {
			faults.Focus = field
			break
		}
	}
	return faults
}

// fault returns an error of one field.
func fault(field, code string, params map[string]any) *notifier.InvalidError {
	var bad notifier.InvalidError
	bad.Add(field, code, params)
	return &bad
}

// rowsOf describes things that have a notice, with the names of the people in their targets and of their senders.
func rowsOf[T, R any](h *Handlers, r *http.Request, found []T, notice func(*T) *notifier.Notice, row func(*T, called) R) ([]R, error) {
	notices := make([]*notifier.Notice, len(found))
	for i := range found {
		notices[i] = notice(&found[i])
	}
	names, err := h.calledIn(r.Context(), notices...)
	if err != nil {
		return nil, err
	}
	rows := make([]R, len(found))
	for i := range found {
		rows[i] = row(&found[i], names)
	}
	return rows, nil
}

// selectOption selects the option with a value, if there is one, and no other.
func selectOption(options []components.Option, value string) {
	for i := range options {
		options[i].Selected = options[i].Value == value
	}
}
