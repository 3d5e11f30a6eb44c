package toast_test

import (
	"slices"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

// model is the expected behaviour of toasts, in its simplest form.
type model struct {
	users  map[int64]*waiting
	raised map[mark]bool
	most   int
	now    int64 // ms
}

// mark records that something was raised for one user.
type mark struct {
	what string
	seq  int64
}

// waiting is one user's waiting toasts, oldest first, and their inbox.
type waiting struct {
	toasts []*item
	warm   bool
	rows   map[string]*line // by key
}

// line is an inbox row.
type line struct {
	notice int64
	read   bool
	json   string
}

type item struct {
	id      string
	r       notifier.ToastRaise
	aged    bool   // older than the limit for toasts of a notice
	trimmed bool   // its stream entry is gone
	held    string // name of the instance that holds it; empty: none
	ranOut  bool   // the hold has expired
	tries   int64
}

func (m *model) raise(r notifier.ToastRaise, what string) (fresh []int64) {
	for _, seq := range r.Seqs {
		if m.raised[mark{what, seq}] {
			continue
		}
		m.raised[mark{what, seq}] = true
		u := m.users[seq]
		u.toasts = append(u.toasts, &item{r: r})
		if len(u.toasts) > m.most {
			u.toasts = u.toasts[len(u.toasts)-m.most:]
		}
		fresh = append(fresh, seq)
	}
	return fresh
}

// shows returns the content a toast shows; false if it must not be shown at all.
func (m *model) shows(u *waiting, i *item) (json string, ok bool) {
	switch {
	case i.r.EndsAt != 0 && i.r.EndsAt <= m.now, i.r.NoticeID != 0 && i.aged:
		return "", false
	case i.r.Key == "" || !u.warm:
		return string(i.r.Content), true
	}
	row := u.rows[i.r.Key]
	if row == nil || row.read || row.notice != i.r.NoticeID {
		return "", false
	}
	return row.json, true
}

// take returns what the instance `by` should get, and whether others hold some.
func (m *model) take(seq int64, by string) (got []notifier.Toast, again bool) {
	u := m.users[seq]
	u.toasts = slices.DeleteFunc(u.toasts, func(i *item) bool {
		_, ok := m.shows(u, i)
		return i.trimmed || !ok
	})
	for _, i := range u.toasts {
		if i.held != "" && i.held != by && !i.ranOut {
			again = true
			continue
		}
		i.held, i.ranOut = by, false
		i.tries++
		json, _ := m.shows(u, i)
		got = append(got, notifier.Toast{ID: i.id, NoticeID: i.r.NoticeID, Key: i.r.Key, Content: []byte(json), Tries: i.tries})
	}
	return got, again
}

// ack removes these toasts of the user and returns how many were waiting.
func (m *model) ack(seq int64, ids []string) (n int) {
	u := m.users[seq]
	before := len(u.toasts)
	u.toasts = slices.DeleteFunc(u.toasts, func(i *item) bool { return slices.Contains(ids, i.id) })
	return before - len(u.toasts)
}

// each calls do for every toast that waits in a partition.
func (m *model) each(p int, do func(i *item)) {
	for seq, u := range m.users {
		if keys.Partition(seq) == p {
			for _, i := range u.toasts {
				do(i)
			}
		}
	}
}

// all returns every waiting toast with its user.
func (m *model) all() (seqs []int64, items []*item) {
	for _, seq := range []int64{ann, bob, carl} {
		for _, i := range m.users[seq].toasts {
			seqs, items = append(seqs, seq), append(items, i)
		}
	}
	return seqs, items
}
