package rule

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/carillonhq/carillon/notifier"
)

// addressBytes is how many bytes of a digest cover the recipients; the rest cover the text.
const addressBytes = 8

// found is a row rendered as a notice.
type found struct {
	draft  notifier.Draft
	digest []byte
}

// render converts rows to notices, in the order of the rows. The error covers the rows that could
// not be rendered; the others are returned together with it.
func (r *Rule) render(t *table, limits notifier.Limits) (all []found, err error) {
	if err = r.fits(t.columns); err != nil {
		return nil, err
	}
	var bad several
	subjects := map[string]bool{}
	for i, row := range t.rows {
		f, err := r.notice(row, limits)
		switch {
		case err != nil:
			bad.add(at(i, f), err)
		case subjects[f.draft.Subject]:
			bad.add(at(i, f), errors.New("an earlier row has this subject"))
		default:
			subjects[f.draft.Subject] = true
			all = append(all, f)
		}
	}
	return all, bad.orNil()
}

// fits checks that the query returns every column the rule uses.
func (r *Rule) fits(columns []string) error {
	has := func(field, column string) error {
		if slices.Contains(columns, column) {
			return nil
		}
		return fmt.Errorf("%s uses the column %q; the query returns %s", field, column, strings.Join(columns, ", "))
	}
	if r.scopeColumn != "" {
		if err := has("scope_column", r.scopeColumn); err != nil {
			return err
		}
	}
	for _, column := range r.extras.data {
		if err := has("data", column); err != nil {
			return err
		}
	}
	for _, t := range append(r.extras.templates(), r.texts.subject, r.texts.title, r.texts.body, r.texts.link) {
		for _, column := range columnsOf(t) {
			if err := has(t.Name(), column); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Rule) notice(row map[string]any, limits notifier.Limits) (found, error) {
	d := notifier.Draft{Type: r.Type, Scope: r.scope, ExpiresIn: r.expiresIn, Toast: r.toast, Sender: r.sender()}
	if r.scopeColumn != "" {
		d.Scope = strings.TrimSpace(fmt.Sprint(row[r.scopeColumn]))
	}
	d.Target = r.target(d.Scope)
	for _, text := range []struct {
		from *template.Template
		to   *string
	}{{r.texts.subject, &d.Subject}, {r.texts.title, &d.Title}, {r.texts.body, &d.Body}, {r.texts.link, &d.Link}} {
		s, err := execute(text.from, row)
		if err != nil {
			return found{draft: d}, err
		}
		*text.to = strings.TrimSpace(clean(s))
	}
	d.Title = shorten(oneLine(d.Title), notifier.MaxTitle)
	d.Body = shorten(d.Body, notifier.MaxBody)
	var err error
	if d.Extras, err = r.extras.render(row); err != nil {
		return found{draft: d}, err
	}
	d.Extras.Take = r.Take()
	if d.Subject == "" {
		return found{draft: d}, errors.New("subject: empty")
	}
	valid := d
	if err := valid.Validate(limits); err != nil {
		return found{draft: d}, err
	}
	return found{d, digest(d)}, nil
}

// digest changes when the text or the recipients of a finding change.
func digest(d notifier.Draft) []byte {
	address, _ := json.Marshal([]any{d.Type, d.Scope, d.Target}) // marshalling strings cannot fail
	says := []string{d.Title, d.Body, d.Link}
	if !d.Extras.IsZero() { // without them the digest is that of earlier versions
		extras, _ := json.Marshal(d.Extras)
		says = append(says, string(extras))
	}
	text, _ := json.Marshal(says)
	to, what := sha256.Sum256(address), sha256.Sum256(text)
	return append(to[:addressBytes:addressBytes], what[addressBytes:]...)
}

// at identifies a row by its number, from 1, and its subject if it has one.
func at(i int, f found) string {
	return fmt.Sprintf("row %d (%s)", i+1, shorten(oneLine(f.draft.Subject), 60))
}
