package components

import "context"

// action is a form with its buttons, which are named after the row's title. The parts common to all rows are
// escaped once.
type action struct {
	mutes   bool   // it is the one of Row.Mute; the rest is empty
	dated   bool   // it names the notice, because a newer one with its key may have arrived
	before  string // up to the key
	fields  string // from the key to the buttons
	buttons []actionButton
}

// actionButton is a button in parts: up to the title in its name, and the rest.
type actionButton struct{ before, after string }

// actions are separate forms, so that they work without script; with script they replace only
// this row. Both read and unread are written, and the style sheet shows the one that fits the
// state, which may change while the page is open. Of mute and unmute only the one that fits is
// written, and a script turns it into the other.
func (l Rows) actions(ctx context.Context) []action {
	read := l.action(ctx, "/inbox/read", "mail-open", l.Labels.MarkRead, l.Labels.ReadNamed)
	unread := l.action(ctx, "/inbox/unread", "mail", l.Labels.MarkUnread, l.Labels.UnreadNamed)
	remove := l.action(ctx, "/inbox/delete", "trash-2", l.Labels.Delete, l.Labels.DeleteNamed)
	remove.dated = true
	archive := l.action(ctx, "/inbox/archive", "archive", l.Labels.Archive, l.Labels.ArchiveNamed)
	archive.dated = true
	switch {
	case l.Test != "":
		return []action{read, unread, {mutes: true}, archive}
	case l.Later:
		back := l.action(ctx, "/inbox/wake", "inbox", l.Labels.Wake, l.Labels.WakeNamed)
		back.dated = true
		return []action{back, remove}
	case l.Archived:
		back := l.action(ctx, "/inbox/unarchive", "inbox", l.Labels.Unarchive, l.Labels.UnarchiveNamed)
		back.dated = true
		return []action{back, remove}
	}
	archive.buttons = append(archive.buttons, l.actionButton(at(ctx, "/inbox/snooze"), "clock", l.Labels.Snooze, l.Labels.SnoozeNamed))
	return []action{read, unread, {mutes: true}, archive, remove}
}

func (l Rows) action(ctx context.Context, address, icon, label string, named Named) action {
	var before, fields markup
	before.raw(`<form method="post" action="`).text(at(ctx, address)).raw(`"><input type="hidden" name="key" value="`)
	fields.raw(`"><input type="hidden" name="back" value="`).text(l.Back).raw(`">`)
	return action{before: string(before.b), fields: string(fields.b), buttons: []actionButton{l.actionButton("", icon, label, named)}}
}

// actionButton returns a button that submits its form, to another address unless that is empty.
func (l Rows) actionButton(address, icon, label string, named Named) actionButton {
	var before, after markup
	before.raw(`<button type="submit"`)
	if address != "" {
		before.raw(` formaction="`).text(address).raw(`"`)
	}
	before.raw(` title="`).text(label).raw(`" aria-label="`).text(named.Before)
	after.text(named.After).raw(`">`)
	l.icon(&after, icon)
	after.raw(`</button>`)
	return actionButton{string(before.b), string(after.b)}
}

// actions writes the actions of a row. On a touch screen they are a sheet that one button opens;
// elsewhere the style sheet shows them without it.
func (l Rows) writeActions(ctx context.Context, buf *rowBuffer, r *Row, actions []action) {
	m, key, title, named := &buf.out, &buf.key, &buf.title, l.Labels.ActionsNamed
	key.b, title.b = key.b[:0], title.b[:0]
	key.text(r.Key)
	title.text(r.Title)
	sheet := "d" + r.At
	if l.Test != "" {
		sheet = "p" + r.At + r.Post // the page below may have a row of the same notice
	}
	m.raw(`<button type="button" class="dots" popovertarget="`).text(sheet).raw(`" aria-label="`)
	m.text(named.Before).escaped(title.b).text(named.After).raw(`">⋯</button>`)
	m.raw(`<div class="actions" id="`).text(sheet).raw(`" popover hx-boost="true">`)
	if r.Post != "" {
		l.turn(ctx, buf, r.Post, "/read", "mail-open", l.Labels.MarkRead, l.Labels.ReadNamed)
		l.turn(ctx, buf, r.Post, "/unread", "mail", l.Labels.MarkUnread, l.Labels.UnreadNamed)
		actions = nil
	}
	for _, a := range actions {
		if a.mutes {
			l.mute(ctx, buf, r)
			continue
		}
		m.raw(a.before).escaped(key.b)
		if a.dated {
			m.raw(`"><input type="hidden" name="at" value="`).text(r.At)
		}
		m.raw(a.fields)
		for _, b := range a.buttons {
			m.raw(b.before).escaped(title.b).raw(b.after)
		}
		m.raw(`</form>`)
	}
	m.raw(`</div>`)
}

// turn writes the action that marks an announcement as read or unread.
func (l Rows) turn(ctx context.Context, buf *rowBuffer, post, address, icon, label string, named Named) {
	m := &buf.out
	m.raw(`<form method="post" action="`).text(at(ctx, "/announcements/"+post+address)).raw(`"><button type="submit" title="`).text(label)
	m.raw(`" aria-label="`).text(named.Before).escaped(buf.title.b).text(named.After).raw(`">`)
	l.icon(m, icon)
	m.raw(`</button></form>`)
}

// mute writes the action that mutes the type of a row, or unmutes it.
func (l Rows) mute(ctx context.Context, buf *rowBuffer, r *Row) {
	if r.Mute == nil {
		return
	}
	turn, icon := "1", "bell-off"
	if r.Mute.Muted {
		turn, icon = "0", "bell"
	}
	m := &buf.out
	m.raw(`<form method="post" action="`).text(at(ctx, "/settings/mute")).raw(`"><input type="hidden" name="muted" value="`).raw(turn)
	m.raw(`"><input type="hidden" name="type" value="`).text(r.Type).raw(`"><input type="hidden" name="back" value="`).text(l.Back)
	m.raw(`"><button type="submit" title="`).text(r.Mute.Label).raw(`" aria-label="`)
	m.text(r.Mute.Named.Before).escaped(buf.title.b).text(r.Mute.Named.After).raw(`">`)
	l.icon(m, icon)
	m.raw(`</button></form>`)
}
