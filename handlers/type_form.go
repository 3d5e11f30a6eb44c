package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// codeTypeTaken is the fault of a new type: there is one of this slug.
const codeTypeTaken = "type_taken"

// typeFields are those of the form, but for the names.
var typeFields = []string{"slug", "expires_in", "no_mute", "open"}

// nameField is the field of the name in a language.
func nameField(lang string) string { return "names." + lang }

// allTypeFields are those of the form, in order.
func (h *Handlers) allTypeFields() []string {
	fields := []string{"slug"}
	for _, p := range h.texts.Printers() {
		fields = append(fields, nameField(p.Lang()))
	}
	return append(fields, typeFields[1:]...)
}

// typeForm shows the form of a type, or of a new one.
func (h *Handlers) typeForm(w http.ResponseWriter, r *http.Request, slug string) error {
	t, known := h.knownType(slug)
	if !known && slug != "" {
		return notifier.ErrNotFound
	}
	return h.page(w, r, http.StatusOK, views.TypePage(h.typeShown(r, &t)))
}

// typeShown is the form of a type as it is.
func (h *Handlers) typeShown(r *http.Request, t *notifier.NoticeType) *views.Type {
	p := h.typePage(r, t.Slug == "", url.Values{"slug": {t.Slug}, "expires_in": {spelled(t.ExpiresIn)}})
	for i := range p.Names {
		p.Names[i].Value = t.Names[p.Names[i].Lang]
	}
	p.NoMute, p.Open = t.NoMute, t.Open
	return p
}

// typePage is the form with what was typed.
func (h *Handlers) typePage(r *http.Request, fresh bool, values url.Values) *views.Type {
	title := "type.title"
	if fresh {
		title = "type.title_new"
	}
	p := &views.Type{
		Frame: h.frame(r, "types", title), New: fresh, Slug: kept(values.Get("slug")), Back: typesPath,
		NoMute: ticked(values, "no_mute"), Open: ticked(values, "open"),
	}
	if !fresh {
		p.Subscriptions = subscriptionsPath + "?" + url.Values{"type": {p.Slug}}.Encode()
	}
	for _, each := range h.texts.Printers() {
		p.Names = append(p.Names, views.TypeName{
			ID: "name-" + each.Lang(), Field: nameField(each.Lang()), Lang: each.Lang(), Value: kept(values.Get(nameField(each.Lang()))),
			Label: p.Text.F("type.name", "Language", each.T("app.language")),
		})
	}
	p.Expiry = typeExpiry(p.Text, kept(values.Get("expires_in")))
	return p
}

// spelled is a time as the form has it; empty: the usual one.
func spelled(life time.Duration) string {
	for _, value := range expiries {
		if d, _ := time.ParseDuration(value); d == life { // our own constants
			return value
		}
	}
	if life == 0 {
		return ""
	}
	return life.String()
}

// typeExpiry is how long notices can be kept, in words.
func typeExpiry(text *locale.Printer, chosen string) []components.Option {
	options := expiryOptions(text, chosen)
	for i, o := range options {
		if life, err := time.ParseDuration(o.Value); err == nil && life > 0 {
			options[i].Text = lasting(text, life)
		}
	}
	return options
}

// saveType makes a type or changes it, or deletes it.
func (h *Handlers) saveType(w http.ResponseWriter, r *http.Request) error {
	if h.Topics == nil {
		return notifier.ErrNotFound
	}
	values, err := form(r, append([]string{"action"}, h.allTypeFields()...)...)
	if values == nil {
		return err
	}
	if err == nil && values.Get("action") == "delete" {
		return h.deleteType(w, r, values.Get("slug"))
	}
	t, faults := h.readType(values)
	fresh := values.Get("action") == "add"
	if _, known := h.knownType(t.Slug); known && fresh && faults == nil {
		faults = fault("slug", codeTypeTaken, map[string]any{"Name": t.Slug})
	}
	if err == nil && !contains([]string{"", "add", "save"}, values.Get("action")) {
		err = fault("", codeForm, nil)
	}
	if bad := merge(err, faults); len(bad.Fields) > 0 {
		return h.typeAgain(w, r, fresh, values, merge(bad, t.Validate(h.Keep)))
	}
	if err := h.Topics.SaveType(r.Context(), t); err != nil {
		if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
			return h.typeAgain(w, r, fresh, values, bad)
		}
		return fmt.Errorf("save type %s: %w", t.Slug, err)
	}
	h.audit(r, visitOf(r).user.User.Name, "type.save", "type "+t.Slug)
	redirect(w, typesPath+"?done=type-saved")
	return nil
}

func (h *Handlers) readType(values url.Values) (notifier.NoticeType, error) {
	var bad notifier.InvalidError
	t := notifier.NoticeType{
		Slug: strings.TrimSpace(values.Get("slug")), Names: map[string]string{},
		NoMute: readBox(values, "no_mute", &bad), Open: readBox(values, "open", &bad),
	}
	for _, p := range h.texts.Printers() {
		if name := strings.TrimSpace(values.Get(nameField(p.Lang()))); name != "" {
			t.Names[p.Lang()] = name
		}
	}
	life, code := readLife(values.Get("expires_in"))
	if code != "" {
		bad.Add("expires_in", code, nil)
	}
	t.ExpiresIn = life
	return t, bad.OrNil()
}

// typeAgain shows the form with what was typed, and what is wrong with it.
func (h *Handlers) typeAgain(w http.ResponseWriter, r *http.Request, fresh bool, values url.Values, bad *notifier.InvalidError) error {
	p := h.typePage(r, fresh, values)
	p.Faults = faultsOf(p.Text, bad, h.allTypeFields()...)
	return h.page(w, r, http.StatusUnprocessableEntity, views.TypePage(p))
}

// deleteType forgets a type to which nobody subscribes. The next notice of it makes it
// anew.
func (h *Handlers) deleteType(w http.ResponseWriter, r *http.Request, slug string) error {
	err := h.Topics.DeleteType(r.Context(), slug)
	if errors.Is(err, notifier.ErrConflict) {
		t, _ := h.knownType(slug)
		p := h.typeShown(r, &t)
		p.InUse = p.Text.T("type.in_use")
		return h.page(w, r, http.StatusConflict, views.TypePage(p))
	}
	if err != nil {
		return fmt.Errorf("delete type %s: %w", slug, err)
	}
	h.audit(r, visitOf(r).user.User.Name, "type.delete", "type "+slug)
	redirect(w, typesPath+"?done=type-deleted")
	return nil
}
