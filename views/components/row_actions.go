package components

import "context"

// action is a form with one button, named after the row's title. The parts common to all rows are
// escaped once.
type action struct {
	byType bool   // it applies to the row's type, not to the row
	muted  bool   // it is for muted types
	dated  bool   // it names the notice, because a newer one with its key may have arrived
	before string // up to the value that identifies the row
	name   string // up to the title in the button's name
	after  string // the rest
}

// actions are separate forms, so that they work without script; with script they replace only
// this row. Both read and unread are written, and the style sheet shows the one that fits the
// state, which may change while the page is open. Of mute and unmute only the one that fits is
// written, and a script turns it into the other.
func (l Rows) actions(ctx context.Context) []action {
	if l.Archived {
		back := l.action(ctx, "/inbox/unarchive", "key", "inbox", l.Labels.Unarchive, l.Labels.UnarchiveNamed)
		back.dated = true
		return []action{back}
	}
	archive := l.action(ctx, "/inbox/archive", "key", "archive", l.Labels.Archive, l.Labels.ArchiveNamed)
	archive.dated = true
	mute := l.action(ctx, "/settings/mute", `muted" value="1"><input type="hidden" name="type`, "bell-off", l.Labels.Mute, l.Labels.MuteNamed)
	mute.byType = true
	unmute := l.action(ctx, "/settings/mute", `muted" value="0"><input type="hidden" name="type`, "bell", l.Labels.Unmute, l.Labels.UnmuteNamed)
	unmute.byType, unmute.muted = true, true
	remove := l.action(ctx, "/inbox/delete", "key", "trash-2", l.Labels.Delete, l.Labels.DeleteNamed)
	remove.dated = true
	return []action{
		l.action(ctx, "/inbox/read", "key", "mail-open", l.Labels.MarkRead, l.Labels.ReadNamed),
		l.action(ctx, "/inbox/unread", "key", "mail", l.Labels.MarkUnread, l.Labels.UnreadNamed),
		mute,
		unmute,
		archive,
		remove,
	}
}

func (l Rows) action(ctx context.Context, address, field, icon, label string, named Named) action {
	var before, name, after markup
	before.raw(`<form method="post" action="`).text(at(ctx, address)).raw(`"><input type="hidden" name="`).raw(field).raw(`" value="`)
	name.raw(`"><input type="hidden" name="back" value="`).text(l.Back)
	name.raw(`"><button type="submit" title="`).text(label).raw(`" aria-label="`).text(named.Before)
	after.text(named.After).raw(`">`)
	l.icon(&after, icon)
	after.raw(`</button></form>`)
	return action{before: string(before.b), name: string(name.b), after: string(after.b)}
}

// actions writes the actions of a row. On a touch screen they are a sheet that one button opens;
// elsewhere the style sheet shows them without it.
func (buf *rowBuffer) actions(r *Row, actions []action, named Named) {
	m, key, typ, title := &buf.out, &buf.key, &buf.typ, &buf.title
	key.b, typ.b, title.b = key.b[:0], typ.b[:0], title.b[:0]
	key.text(r.Key)
	typ.text(r.Type)
	title.text(r.Title)
	m.raw(`<button type="button" class="dots" popovertarget="d`).text(r.At).raw(`" aria-label="`)
	m.text(named.Before).escaped(title.b).text(named.After).raw(`">⋯</button>`)
	m.raw(`<div class="actions" id="d`).text(r.At).raw(`" popover hx-boost="true">`)
	for _, a := range actions {
		if a.byType && (r.NoMute || a.muted != r.Muted) {
			continue
		}
		value := key.b
		if a.byType {
			value = typ.b
		}
		m.raw(a.before).escaped(value)
		if a.dated {
			m.raw(`"><input type="hidden" name="at" value="`).text(r.At)
		}
		m.raw(a.name).escaped(title.b).raw(a.after)
	}
	m.raw(`</div>`)
}
