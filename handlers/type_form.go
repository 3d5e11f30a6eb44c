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

// codeTypeTaken is the error code for a new type whose slug is taken.
const codeTypeTaken = "type_taken"

// typeFields lists the form's fields without the names.
var typeFields = []string{"slug", "icon", "color", "expires_in", "no_mute", "open", "urgent", "push", "mail"}

// nameField is the field for the name in a language.
func nameField(lang string) string { return "names." + lang }

// allTypeFields lists all fields of the form, in order.
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

// typeShown builds the form of a stored type.
func (h *Handlers) typeShown(r *http.Request, t *notifier.NoticeType) *views.Type {
	p := h.typePage(r, t.Slug == "", url.Values{"slug": {t.Slug}, "icon": {t.Icon}, "color": {t.Color}, "expires_in": {spelled(t.ExpiresIn)}})
	for i := range p.Names {
		p.Names[i].Value = t.Names[p.Names[i].Lang]
	}
	p.NoMute, p.Open, p.Urgent = t.NoMute, t.Open, t.Urgent
	h.addTelling(p, t.NoPush, t.NoMail)
	return p
}

// typePage builds the form from values.
func (h *Handlers) typePage(r *http.Request, fresh bool, values url.Values) *views.Type {
	title := "type.title"
	if fresh {
		title = "type.title_new"
	}
	p := &views.Type{
		Frame: h.frame(r, "types", title), New: fresh, Slug: kept(values.Get("slug")), Back: typesPath,
		NoMute: ticked(values, "no_mute"), Open: ticked(values, "open"), Urgent: ticked(values, "urgent"),
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
	p.Icons = choices(p.Text, "icon.", notifier.TypeIcons(), values.Get("icon"))
	p.Colors = choices(p.Text, "color.", notifier.TypeColors(), values.Get("color"))
	h.addTelling(p, values.Get("push") == "0", values.Get("mail") == "0")
	p.Expiry = typeExpiry(p.Text, kept(values.Get("expires_in")))
	return p
}

// addTelling adds the defaults for users who have not chosen, for the channels that are configured.
func (h *Handlers) addTelling(p *views.Type, noPush, noMail bool) {
	if h.Devices != nil {
		p.Push = onOff(p.Text, noPush)
	}
	if h.Mailing {
		p.Mail = onOff(p.Text, noMail)
	}
}

// choices lists the icons or colours to choose from; the first option derives them from the slug.
func choices(text *locale.Printer, section string, names []string, chosen string) []components.Option {
	options := []components.Option{{Text: text.T("type.auto"), Selected: chosen == ""}}
	for _, name := range names {
		options = append(options, components.Option{Value: name, Text: text.T(section + strings.ReplaceAll(name, "-", "_")), Selected: name == chosen})
	}
	return options
}

// spelled formats a lifetime as the form does; the default is "".
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

// typeExpiry lists the lifetimes to choose from.
func typeExpiry(text *locale.Printer, chosen string) []components.Option {
	options := expiryOptions(text, chosen)
	for i, o := range options {
		if life, err := time.ParseDuration(o.Value); err == nil && life > 0 {
			options[i].Text = lasting(text, life)
		}
	}
	return options
}

// saveType creates, changes or deletes a type.
func (h *Handlers) saveType(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, append([]string{"action"}, h.allTypeFields()...)...)
	if values == nil {
		return err
	}
	pasted(values)
	if err == nil && values.Get("action") == "delete" {
		return h.deleteType(w, r, values.Get("slug"))
	}
	if err == nil && values.Get("action") == "tidy" {
		return h.tidyTypes(w, r)
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
	if err := h.Topics.SaveType(r.Context(), h.actor(r), t); err != nil {
		if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
			return h.typeAgain(w, r, fresh, values, bad)
		}
		return fmt.Errorf("save type %s: %w", t.Slug, err)
	}
	redirect(w, r, typesPath+"?done=type-saved")
	return nil
}

func (h *Handlers) readType(values url.Values) (notifier.NoticeType, error) {
	var bad notifier.InvalidError
	t := notifier.NoticeType{
		Slug: strings.TrimSpace(values.Get("slug")), Names: map[string]string{},
		NoMute: readBox(values, "no_mute", &bad), Open: readBox(values, "open", &bad),
		Icon: values.Get("icon"), Color: values.Get("color"),
	}
	has, _ := h.knownType(t.Slug) // a field missing from the form keeps its value
	t.Urgent, t.NoPush, t.NoMail = has.Urgent, has.NoPush, has.NoMail
	if h.Mailing || h.Devices != nil {
		t.Urgent = readBox(values, "urgent", &bad)
	}
	for field, no := range map[string]*bool{"push": &t.NoPush, "mail": &t.NoMail} {
		if off := chooseSwitch(field, values, &bad); off != nil {
			*no = *off
		}
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

// typeAgain shows the form again with the input and its errors.
func (h *Handlers) typeAgain(w http.ResponseWriter, r *http.Request, fresh bool, values url.Values, bad *notifier.InvalidError) error {
	p := h.typePage(r, fresh, values)
	p.Faults = faultsOf(p.Text, bad, h.allTypeFields()...)
	return h.page(w, r, http.StatusUnprocessableEntity, views.TypePage(p))
}

// deleteType deletes a type without subscribers. The next notice of this type creates it again.
func (h *Handlers) deleteType(w http.ResponseWriter, r *http.Request, slug string) error {
	err := h.Topics.DeleteType(r.Context(), h.actor(r), slug)
	if errors.Is(err, notifier.ErrConflict) {
		t, _ := h.knownType(slug)
		p := h.typeShown(r, &t)
		p.InUse = p.Text.T("type.in_use")
		return h.page(w, r, http.StatusConflict, views.TypePage(p))
	}
	if err != nil {
		return fmt.Errorf("delete type %s: %w", slug, err)
	}
	redirect(w, r, typesPath+"?done=type-deleted")
	return nil
}

// tidyTypes deletes the types without a description: an application that puts variable text into types leaves many.
func (h *Handlers) tidyTypes(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.Topics.DeleteUndescribed(r.Context(), h.actor(r)); err != nil {
		return fmt.Errorf("delete undescribed types: %w", err)
	}
	redirect(w, r, typesPath+"?done=types-tidied")
	return nil
}

func onOff(text *locale.Printer, off bool) []components.Option {
	return []components.Option{
		{Value: "1", Text: text.T("settings.on"), Selected: !off},
		{Value: "0", Text: text.T("settings.off"), Selected: off},
	}
}
