package handlers

import (
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const preferencesPath = "/settings/preferences"

// zoneNames lists the selectable time zones: those of zone1970.tab, and UTC.
//
//go:embed zones.txt
var zoneNames string

// The choices in the form. A value set elsewhere is offered as well.
var (
	mailWhens = []string{"off", "15m", "30m", "1h", "4h", "daily"}
	pushWhens = []string{"off", "0s", "5m", "30m", "1h"}

	mailTexts = map[string]string{"off": "preferences.mail_off", "0s": "preferences.mail_0", "daily": "preferences.mail_daily"}
	pushTexts = map[string]string{"off": "preferences.push_off", "0s": "preferences.push_0"}
)

// addPreferences adds how and when the user is notified.
func (h *Handlers) addPreferences(r *http.Request, p *views.Settings, user *notifier.User) error {
	ctx := r.Context()
	has, err := h.People.Preferences(ctx, user.Name)
	if err != nil {
		return fmt.Errorf("read the preferences of user %d: %w", user.Seq, err)
	}
	f := &p.Preferences
	f.Mailing, f.Pushing = h.Mailing, h.Devices != nil
	if h.Mailing {
		mail, err := h.Store.MailOf(ctx, user.Seq)
		if err != nil {
			return fmt.Errorf("read the address of user %d: %w", user.Seq, err)
		}
		f.Address = p.Text.T("preferences.no_address")
		if mail.Address != "" {
			f.Address = p.Text.F("preferences.address", "Address", mail.Address)
		}
		f.TryAgain = mail.Revivable(h.Now())
		switch mail.State {
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
	f.Zones = zoneOptions(p.Text, &has)
	names := h.typeNames(p.Text)
	for _, t := range h.Topics.Types()[:min(len(h.Topics.Types()), notifier.MaxTypeWants)] {
		w, look := has.Types[t.Slug], h.lookOf(t.Slug)
		row := views.TypeWants{
			Type: t.Slug, Name: names.of(t.Slug), Icon: look.Icon, Initials: look.Initials, Tint: look.Tint, Locked: t.NoMute, Urgent: t.Urgent,
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

// whens lists the choices for when to notify a user. texts names the choices that are not waiting times.
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
			w, _ := notifier.ParseWhen(value) // our own constants, or a stored value
			o.Text = text.F("preferences.after", "Time", lasting(text, w.Wait))
		}
		options = append(options, o)
	}
	return options
}

// zoneOptions lists the zones. The first option chooses none; its text has the zone that is then in force.
func zoneOptions(text *locale.Printer, has *notifier.Preferences) []components.Option {
	spaced := func(name string) string { return strings.ReplaceAll(name, "_", " ") }
	names := strings.Fields(zoneNames)
	if has.Zone != "" && !slices.Contains(names, has.Zone) {
		names = append([]string{has.Zone}, names...)
	}
	none := components.Option{Text: text.T("preferences.zone_auto"), Selected: has.Zone == ""}
	switch has.ZoneFrom {
	case notifier.ZoneBrowser:
		none.Text = text.F("preferences.zone_browser", "Zone", spaced(has.InForce))
	case notifier.ZoneInstallation:
		none.Text = text.F("preferences.zone_default", "Zone", spaced(has.InForce))
	case notifier.ZoneChosen: // unknown here: the zone in force without a choice
	}
	options := []components.Option{none}
	for _, name := range names {
		options = append(options, components.Option{Value: name, Text: spaced(name), Selected: name == has.Zone})
	}
	return options
}

// savePreferences saves how and when the user is notified. Types that the page did not list keep their settings.
func (h *Handlers) savePreferences(w http.ResponseWriter, r *http.Request) error {
	user := &visitOf(r).user.User
	values, bad, err := h.putPreferences(r, user, false)
	switch {
	case err != nil:
		return err
	case bad == nil:
		redirect(w, r, settled(views.TabNotifications, "saved"))
		return nil
	}
	p := h.settingsPage(r, views.TabNotifications, user.Settings, nil)
	p.Preferences.Again(values)
	for _, f := range bad.Fields {
		p.Preferences.Fault = append(p.Preferences.Fault, faultText(p.Text, f))
	}
	return h.showSettings(w, r, http.StatusUnprocessableEntity, p)
}

// putPreferences saves a user's form; with mailOnly, only its mail settings. It returns the form and its errors, nil
// if it was saved.
func (h *Handlers) putPreferences(r *http.Request, user *notifier.User, mailOnly bool) (url.Values, *notifier.InvalidError, error) {
	r.Body = &fieldLimit{r.Body, 4*notifier.MaxTypeWants + 8}
	values, err := formThat(r, []string{"type"}, preferenceFields)
	if errors.Is(err, errManyKeys) {
		return nil, nil, fault("", codeForm, nil)
	}
	if values == nil {
		return nil, nil, err
	}
	if mailOnly {
		values.Del("push")
	}
	had, readErr := h.People.Preferences(r.Context(), user.Name)
	if readErr != nil {
		return nil, nil, fmt.Errorf("read the preferences of user %d: %w", user.Seq, readErr)
	}
	set, faults := h.readPreferences(values, &had, mailOnly)
	bad := merge(err, faults)
	if len(bad.Fields) == 0 {
		by := notifier.Actor{Ref: notifier.UserRef(*user), Address: visitOf(r).Address}
		_, err = h.People.SetPreferences(r.Context(), by, user.Name, set)
		if !errors.As(err, &bad) && err != nil {
			return nil, nil, fmt.Errorf("save the preferences of user %d: %w", user.Seq, err)
		}
	}
	if len(bad.Fields) > 0 {
		return values, bad, nil
	}
	if !mailOnly {
		h.mutes.Invalidate(mutesOf(r))
	}
	return values, nil, nil
}
