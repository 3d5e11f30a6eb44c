package handlers

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const preferencesPath = "/settings/preferences"

// zoneNames are the time zones to choose from: those of zone1970.tab, and UTC.
//
//go:embed zones.txt
var zoneNames string

// The choices of the form. What was chosen elsewhere is offered, too.
var (
	mailWhens = []string{"off", "15m", "30m", "1h", "4h", "daily"}
	pushWhens = []string{"off", "0s", "5m", "30m", "1h"}

	mailTexts = map[string]string{"off": "preferences.mail_off", "0s": "preferences.mail_0", "daily": "preferences.mail_daily"}
	pushTexts = map[string]string{"off": "preferences.push_off", "0s": "preferences.push_0"}
)

// addPreferences adds how and when the user is told, unless nobody is told outside the pages.
func (h *Handlers) addPreferences(r *http.Request, p *views.Settings) error {
	if !h.Mailing && h.Devices == nil {
		return nil
	}
	ctx, user := r.Context(), &visitOf(r).user.User
	has, err := h.Reach.Preferences(ctx, user.Name)
	if err != nil {
		return fmt.Errorf("read the preferences of user %d: %w", user.Seq, err)
	}
	f := &p.Preferences
	f.Shown, f.Mailing, f.Pushing = true, h.Mailing, h.Devices != nil
	if h.Mailing {
		address, state, err := h.Reach.MailOf(ctx, user.Seq)
		if err != nil {
			return fmt.Errorf("read the address of user %d: %w", user.Seq, err)
		}
		f.Address = p.Text.T("preferences.no_address")
		if address != "" {
			f.Address = p.Text.F("preferences.address", "Address", address)
		}
		switch state {
		case notifier.ReachDead:
			f.AddressFault = p.Text.T("preferences.address_dead")
		case notifier.ReachFailing:
			f.AddressFault = p.Text.T("preferences.address_failing")
		case notifier.ReachOn, notifier.ReachOff:
		}
	}
	f.Mail, f.MailAt = whens(p.Text, mailTexts, mailWhens, has.Mail.String()), notifier.FormatMinute(has.MailAt)
	f.Push = whens(p.Text, pushTexts, pushWhens, has.Push.String())
	if q := has.Quiet; q != nil {
		f.From, f.To = notifier.FormatMinute(q.From), notifier.FormatMinute(q.To)
	}
	zone := has.Zone
	if zone == "" {
		zone = h.now(r).Location().String()
	}
	f.Zones = zoneOptions(zone)
	names := h.typeNames(p.Text)
	for _, t := range h.Topics.Types()[:min(len(h.Topics.Types()), notifier.MaxTypeWants)] {
		w, look := has.Types[t.Slug], h.lookOf(t.Slug)
		row := views.TypeWants{
			Type: t.Slug, Name: names.of(t.Slug), Icon: look.icon, Initials: look.initials, Tint: look.tint, Locked: t.NoMute, Urgent: t.Urgent,
			Wants: map[views.Way]bool{views.WayInbox: t.NoMute || wants(w.Inbox, true)},
		}
		if f.Pushing {
			row.Wants[views.WayDevices] = wants(w.Push, !t.NoPush)
		}
		if f.Mailing {
			row.Wants[views.WayMail] = wants(w.Mail, !t.NoMail)
		}
		f.Types = append(f.Types, row)
	}
	return nil
}

func wants(chosen *bool, otherwise bool) bool {
	if chosen != nil {
		return *chosen
	}
	return otherwise
}

// whens lists when a user can be told. texts has the names of the choices that are no waiting time.
func whens(text *locale.Printer, texts map[string]string, values []string, chosen string) []components.Option {
	if !slices.Contains(values, chosen) {
		values = append(slices.Clone(values), chosen)
	}
	var options []components.Option
	for _, value := range values {
		o := components.Option{Value: value, Selected: value == chosen}
		if name := texts[value]; name != "" {
			o.Text = text.T(name)
		} else {
			w, _ := notifier.ParseWhen(value) // our own constants, or what is stored
			o.Text = text.F("preferences.after", "Time", lasting(text, w.Wait))
		}
		options = append(options, o)
	}
	return options
}

func zoneOptions(chosen string) []components.Option {
	names := strings.Fields(zoneNames)
	if !slices.Contains(names, chosen) {
		names = append([]string{chosen}, names...)
	}
	options := make([]components.Option, len(names))
	for i, name := range names {
		options[i] = components.Option{Value: name, Text: strings.ReplaceAll(name, "_", " "), Selected: name == chosen}
	}
	return options
}

// savePreferences saves how and when the user is told. Types that the page did not list keep what was
// chosen.
func (h *Handlers) savePreferences(w http.ResponseWriter, r *http.Request) error {
	r.Body = &fieldLimit{r.Body, 4*notifier.MaxTypeWants + 8}
	values, err := formThat(r, []string{"type"}, preferenceFields)
	if errors.Is(err, errManyKeys) {
		return fault("", codeForm, nil)
	}
	if values == nil {
		return err
	}
	user := &visitOf(r).user.User
	had, readErr := h.Reach.Preferences(r.Context(), user.Name)
	if readErr != nil {
		return fmt.Errorf("read the preferences of user %d: %w", user.Seq, readErr)
	}
	set, faults := h.readPreferences(values, &had)
	bad := merge(err, faults)
	if len(bad.Fields) == 0 {
		_, err = h.Reach.SetPreferences(r.Context(), h.actor(r), user.Name, set)
		if !errors.As(err, &bad) && err != nil {
			return fmt.Errorf("save the preferences of user %d: %w", user.Seq, err)
		}
	}
	if len(bad.Fields) > 0 {
		p := h.settingsPage(r, user.Settings, nil)
		p.Preferences.Again(values)
		for _, f := range bad.Fields {
			p.Preferences.Fault = append(p.Preferences.Fault, faultText(p.Text, f))
		}
		return h.showSettings(w, r, http.StatusUnprocessableEntity, p)
	}
	h.mutes.Invalidate(user.Seq)
	redirect(w, r, "/settings?done=saved")
	return nil
}

// preferenceFields are the fields of the form. The types are those that it lists: one of them may have been
// deleted since the page was shown, and is left out then.
func preferenceFields(sent url.Values) []string {
	fields := []string{"mail", "mail_at", "push", "quiet_from", "quiet_to", "zone"}
	for _, slug := range sent["type"] {
		for _, way := range views.Ways() {
			fields = append(fields, views.Box(slug, way))
		}
	}
	return fields
}

// readPreferences reads the form. A missing field keeps what the user had.
func (h *Handlers) readPreferences(values url.Values, had *notifier.Preferences) (set notifier.PutPreferences, err error) {
	var bad notifier.InvalidError
	when := func(field string) *notifier.When {
		w, ok := notifier.ParseWhen(values.Get(field))
		if !ok {
			bad.Add(field, notifier.CodeBadWhen, nil)
		}
		return &w
	}
	minute := func(field string) int {
		m, ok := notifier.ParseMinute(values.Get(field))
		if !ok {
			bad.Add(field, notifier.CodeBadMinute, nil)
		}
		return m
	}
	if values.Has("mail") {
		set.Mail, set.MailAt = when("mail"), had.MailAt
		if values.Get("mail_at") != "" {
			set.MailAt = minute("mail_at")
		}
	}
	if values.Has("push") {
		set.Push = when("push")
	}
	from, to := values.Get("quiet_from"), values.Get("quiet_to")
	set.SetQuiet = values.Has("quiet_from") || values.Has("quiet_to")
	switch {
	case from == "" && to == "":
	case from == "" || to == "":
		bad.Add("quiet", notifier.CodeHalfQuiet, nil)
	default:
		set.Quiet = &notifier.Quiet{From: minute("quiet_from"), To: minute("quiet_to")}
	}
	if zone := values.Get("zone"); zone != "" {
		set.Zone = &zone
	}
	if values.Has("type") {
		set.Types = h.readWants(values, had)
	}
	return set, bad.OrNil()
}

// readWants reads the boxes of the listed types. What equals the type's default is not stored, so that a
// change of the default reaches the user.
func (h *Handlers) readWants(values url.Values, had *notifier.Preferences) map[string]notifier.TypeWants {
	all := map[string]notifier.TypeWants{}
	for typ, w := range had.Types {
		all[typ] = w
	}
	for _, slug := range values["type"] {
		t, known := h.knownType(slug)
		if !known {
			continue
		}
		has := all[slug]
		w := notifier.TypeWants{Inbox: chosenBox(values, slug, views.WayInbox, true), Push: has.Push, Mail: has.Mail}
		if t.NoMute {
			w.Inbox = has.Inbox
		}
		if h.Devices != nil {
			w.Push = chosenBox(values, slug, views.WayDevices, !t.NoPush)
		}
		if h.Mailing {
			w.Mail = chosenBox(values, slug, views.WayMail, !t.NoMail)
		}
		delete(all, slug)
		if w != (notifier.TypeWants{}) {
			all[slug] = w
		}
	}
	return all
}

// chosenBox returns whether a box is ticked, or nil if that is the default.
func chosenBox(values url.Values, slug string, way views.Way, otherwise bool) *bool {
	if on := values.Has(views.Box(slug, way)); on != otherwise {
		return &on
	}
	return nil
}

// pause holds back what is not urgent until a time, or ends that.
func (h *Handlers) pause(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "for", "until")
	if err != nil {
		return err
	}
	until, code := pauseEnd(values, h.now(r))
	if code != "" {
		p := h.settingsPage(r, visitOf(r).user.User.Settings, nil)
		p.Preferences.PauseFault = faultText(p.Text, notifier.FieldError{Field: "until", Code: code})
		return h.showSettings(w, r, http.StatusUnprocessableEntity, p)
	}
	user := &visitOf(r).user.User
	if _, err := h.Reach.SetPreferences(r.Context(), h.actor(r), user.Name, notifier.PutPreferences{PausedUntil: &until}); err != nil {
		return fmt.Errorf("pause for user %d: %w", user.Seq, err)
	}
	redirect(w, r, "/settings?done=saved")
	return nil
}

// pauseEnd reads until when to pause; zero: not. code is an error code.
func pauseEnd(values url.Values, now time.Time) (until time.Time, code string) {
	nine := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 9, 0, 0, 0, now.Location())
	}
	switch values.Get("for") {
	case "off":
		return time.Time{}, ""
	case "1h":
		return now.Add(time.Hour), ""
	case "tomorrow":
		return nine(1), ""
	case "monday":
		return nine(cmp.Or((int(time.Monday)-int(now.Weekday())+7)%7, 7)), ""
	case "", "until":
		until, code = readMoment(values.Get("until"), now.Location())
		if code == "" && until.IsZero() {
			code = notifier.CodeRequired
		}
		if code == "" && !until.After(now) {
			code = notifier.CodeEndsPast
		}
		return until, code
	}
	return until, codeForm
}
