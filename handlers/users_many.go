package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// The deeds of the list's form for many people, and the field for its group.
const (
	manyJoin  = "join"
	manyLeave = "leave"
	manySend  = "send"
	manyGroup = "to_group"
)

// manyFields are the fields of that form besides those of the forms for one person; pick is repeated.
var manyFields = []string{"all", "sure", manyGroup, "q", "group", "state", "sort", "after", "looked", "changed", "of"}

// Error codes of that form.
const (
	codeNobodyPicked = "nobody_picked"
	codeStaffSingly  = "staff_singly"
	codeManyToSend   = "too_many_to_send" // Limit
)

// isMany reports whether a form of the list is about many people.
func isMany(values url.Values) bool {
	return contains([]string{manyJoin, manyLeave, manySend}, values.Get("action"))
}

// changeMany lets the people who are ticked, or all who match the filters, join or leave a group, or leads to a
// notification for them.
func (h *Handlers) changeMany(w http.ResponseWriter, r *http.Request, values url.Values) error {
	l := readUsers(values)
	err := h.doMany(w, r, l, values)
	bad := (*notifier.InvalidError)(nil)
	if !errors.As(err, &bad) {
		return err
	}
	p, err := h.usersPage(r, backQuery(usersPath, l.address("after", kept(values.Get("after")))))
	if err != nil {
		return err
	}
	p.Many.Faults = faultsOf(p.Text, bad, manyGroup)
	p.Many.All, p.Many.Group = ticked(values, "all"), kept(values.Get(manyGroup))
	selectOption(p.Many.Groups, p.Many.Group)
	for i := range p.Rows {
		p.Rows[i].Picked = contains(values["pick"], p.Rows[i].Pick)
	}
	return h.page(w, r, http.StatusUnprocessableEntity, views.UsersPage(p))
}

// doMany makes the change. A *notifier.InvalidError is about the form.
func (h *Handlers) doMany(w http.ResponseWriter, r *http.Request, l listing, values url.Values) error {
	seqs, all := picked(values["pick"]), ticked(values, "all")
	if len(seqs) == 0 && !all {
		return fault("", codeNobodyPicked, nil)
	}
	if values.Get("action") == manySend {
		return h.sendToMany(w, r, l, seqs, all)
	}
	m := notifier.Membership{Role: strings.TrimSpace(values.Get(manyGroup)), Leave: values.Get("action") == manyLeave}
	switch m.Role {
	case "":
		return fault(manyGroup, notifier.CodeRequired, nil)
	case notifier.RoleStaff:
		return fault(manyGroup, codeStaffSingly, nil)
	}
	if err := h.roleExists(r, manyGroup, m.Role); err != nil {
		return err
	}
	if all {
		return h.changeMatching(w, r, l, m, values)
	}
	n, err := h.People.ChangeMembers(r.Context(), h.actor(r), m, seqs)
	if err != nil {
		return fmt.Errorf("change the groups of users: %w", err)
	}
	code := "many-joined"
	if m.Leave {
		code = "many-left"
	}
	at := withParam(withParam(l.address("after", kept(values.Get("after"))), "n", strconv.FormatInt(n, 10)), "in", m.Role)
	redirect(w, r, addQuery(at, code))
	return nil
}

// picked parses the numbers of the people who are ticked, in a form of at most one page.
func picked(values []string) (seqs []int64) {
	for _, value := range values {
		if n := number(value); n > 0 && len(seqs) < person.MembersAtOnce {
			seqs = append(seqs, n)
		}
	}
	return seqs
}

// changeMatching asks first, with the number; then it does one step and shows how far it is. The page does the next step
// by itself if it has a script.
func (h *Handlers) changeMatching(w http.ResponseWriter, r *http.Request, l listing, m notifier.Membership, values url.Values) error {
	q := h.filteredQuery(l, values)
	p := &views.Many{Frame: h.frame(r, "users", "users.many_join"), Back: l.address("", "")}
	if m.Leave {
		p.Title = p.Text.T("users.many_leave")
	}
	p.Fields = []views.Hidden{{Name: "action", Value: values.Get("action")}, {Name: manyGroup, Value: m.Role}, {Name: "all", Value: "1"}, {Name: "sure", Value: "1"}, {Name: "q", Value: l.search}}
	for _, name := range []string{"group", "state"} {
		p.Fields = append(p.Fields, views.Hidden{Name: name, Value: l.narrow.Get(name)})
	}
	if !ticked(values, "sure") {
		q.After = ""
		n, whole, err := h.Store.CountMatches(r.Context(), q, searchPatience)
		if err != nil {
			return fmt.Errorf("count users: %w", err)
		}
		p.Ask, p.Of = p.Text.N(manyText("ask", m, whole), n, "Group", m.Role), n
		p.Fields = append(p.Fields, views.Hidden{Name: "of", Value: strconv.FormatInt(n, 10)})
		return h.page(w, r, http.StatusOK, views.ManyPage(p))
	}
	step, err := h.People.ChangeMatching(r.Context(), h.actor(r), m, q)
	if err != nil {
		return fmt.Errorf("change the groups of users: %w", err)
	}
	p.Looked, p.Changed = number(values.Get("looked"))+step.Looked, number(values.Get("changed"))+step.Changed
	p.Of = max(number(values.Get("of")), p.Looked)
	p.Progress = p.Text.N("users.many_looked", p.Of, "Looked", p.Text.Number(p.Looked))
	p.Result = p.Text.N(manyText("done", m, true), p.Changed, "Group", m.Role)
	p.Over = step.Reached == ""
	p.Fields = append(p.Fields, views.Hidden{Name: "after", Value: step.Reached})
	for _, f := range []struct {
		name string
		n    int64
	}{{"looked", p.Looked}, {"changed", p.Changed}, {"of", p.Of}} {
		p.Fields = append(p.Fields, views.Hidden{Name: f.name, Value: strconv.FormatInt(f.n, 10)})
	}
	return h.page(w, r, http.StatusOK, views.ManyPage(p))
}

// manyText is the ID of a text about a change of many people.
func manyText(what string, m notifier.Membership, whole bool) string {
	id := "users.many_" + what + "_join"
	if m.Leave {
		id = "users.many_" + what + "_leave"
	}
	if !whole {
		id += "_more"
	}
	return id
}

// addMany adds the form for many people: the groups they can join, and how many match.
func (h *Handlers) addMany(r *http.Request, p *views.Users, l listing, after string, roles []components.Option) {
	for _, o := range roles {
		if o.Value != notifier.RoleStaff {
			p.Many.Groups = append(p.Many.Groups, o)
		}
	}
	if len(p.Many.Groups) > 0 {
		p.Many.Groups[0].Text = p.Text.T("person.choose_group")
	}
	p.Many.Fields = []views.Hidden{{Name: "q", Value: l.search}, {Name: "group", Value: l.narrow.Get("group")}, {Name: "state", Value: l.narrow.Get("state")}, {Name: "sort", Value: l.said()}, {Name: "after", Value: after}}
	values := r.URL.Query()
	for code, id := range map[string]string{"many-joined": "users.many_done_join", "many-left": "users.many_done_leave"} {
		if values.Get("done") == code {
			p.Done = &views.Done{Text: p.Text.N(id, number(values.Get("n")), "Group", kept(values.Get("in")))}
		}
	}
}
