package rule

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"github.com/carillonhq/carillon/notifier"
)

// extras are the settings for what a notice has beside its texts. Those that are not set are nil.
type extras struct {
	actor   *actorTexts
	image   *imageTexts
	actions []actionTexts
	data    []string // columns
}

type (
	actorTexts  struct{ id, name, image *template.Template }
	imageTexts  struct{ url, alt *template.Template }
	actionTexts struct {
		label, link *template.Template
		style       string
	}
)

// extras reads the settings of extras.
func (t *fields) extras() (x extras) {
	if a := t.inside("actor"); a != nil {
		x.actor = &actorTexts{a.template("id", false), a.template("name", true), a.template("image", false)}
		t.end(a)
	}
	if i := t.inside("image"); i != nil {
		x.image = &imageTexts{i.template("url", true), i.template("alt", true)}
		t.end(i)
	}
	all := t.tables("actions")
	if len(all) > notifier.MaxActions {
		t.fault("actions", fmt.Sprintf("at most %d", notifier.MaxActions))
		all = nil
	}
	for i, table := range all {
		a := t.below(fmt.Sprintf("actions[%d].", i), "actions", table)
		x.actions = append(x.actions, actionTexts{a.template("label", true), a.template("link", true), a.text("style")})
		if s := x.actions[i].style; s != "" && s != notifier.StylePlain && s != notifier.StylePrimary {
			a.fault("style", `must be "plain" or "primary"`)
		}
		t.end(a)
	}
	x.data = t.list("data")
	return x
}

// inside returns the settings in a table; nil if there is none.
func (t *fields) inside(field string) *fields {
	v, given := t.take(field)
	table, ok := v.(map[string]any)
	if !ok {
		if given {
			t.fault(field, `must be settings in braces, such as {name = "…"}`)
		}
		return nil
	}
	return t.below(t.prefix+field+".", field, table)
}

// tables returns the tables in a list.
func (t *fields) tables(field string) (tables []map[string]any) {
	v, given := t.take(field)
	tables, ok := v.([]map[string]any)
	if items, mixed := v.([]any); mixed {
		ok = true
		for _, item := range items {
			table, is := item.(map[string]any)
			ok, tables = ok && is, append(tables, table)
		}
	}
	if given && !ok {
		t.fault(field, `must be a list of tables, such as [{label = "…", link = "…"}]`)
		return nil
	}
	return tables
}

// below returns the settings in a table of the setting field, which are named with a prefix.
func (t *fields) below(prefix, field string, table map[string]any) *fields {
	at := t.at
	if line, known := at.fields[field]; known {
		at.line = line
	}
	at.fields = nil
	return &fields{table: table, left: sortedKeys(table), at: at, prefix: prefix}
}

// end adds the faults in a table.
func (t *fields) end(table *fields) {
	for _, key := range table.left {
		table.fault(key, "unknown setting")
	}
	t.faults = append(t.faults, table.faults...)
}

// templates returns all templates of the extras.
func (x *extras) templates() (all []*template.Template) {
	if a := x.actor; a != nil {
		all = append(all, a.id, a.name, a.image)
	}
	if i := x.image; i != nil {
		all = append(all, i.url, i.alt)
	}
	for _, a := range x.actions {
		all = append(all, a.label, a.link)
	}
	return all
}

// render returns the extras of a finding. An actor without a name, a picture without an address and a button without a label
// or a link are left out.
func (x *extras) render(row map[string]any) (to notifier.Extras, err error) {
	text := func(t *template.Template) string {
		if err != nil {
			return ""
		}
		var s string
		s, err = execute(t, row)
		return strings.TrimSpace(clean(s))
	}
	if a := x.actor; a != nil {
		actor := notifier.RowActor{ID: text(a.id), Name: shorten(oneLine(text(a.name)), notifier.MaxActorName), Image: text(a.image)}
		if actor.Name != "" {
			to.Actor = &actor
		}
	}
	if i := x.image; i != nil {
		image := notifier.Image{URL: text(i.url), Alt: shorten(oneLine(text(i.alt)), notifier.MaxImageAlt)}
		if image.URL != "" {
			to.Image = &image
		}
	}
	for _, a := range x.actions {
		action := notifier.Action{Label: shorten(oneLine(text(a.label)), notifier.MaxActionLabel), Link: text(a.link), Style: a.style}
		if action.Label != "" && action.Link != "" {
			to.Actions = append(to.Actions, action)
		}
	}
	if len(x.data) > 0 && err == nil {
		columns := make(map[string]any, len(x.data))
		for _, name := range x.data {
			columns[name] = row[name]
		}
		if to.Data, err = json.Marshal(columns); err != nil {
			err = fmt.Errorf("data: %w", err)
		}
	}
	return to, err
}
