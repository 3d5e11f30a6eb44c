package notifier

import "slices"

// Somebody is the name of a deleted actor in stored notices and rows. Readers see it in their language: see NameSomebody.
const Somebody = "Somebody"

// Forget removes the name, id and picture of the actor if it has this id. The code stays, so that rows count the same
// actors as before. It reports whether the actor was that of the id, and whether this call removed it.
func (x *Extras) Forget(id string) (was, changed bool) {
	a := x.Actor
	if a == nil || id == "" {
		return false, false
	}
	code := (&RowActor{ID: id}).Code()
	if a.ID != id {
		return a.Gone == code, false
	}
	x.Actor = &RowActor{Name: Somebody, Gone: code}
	return true, true
}

// named returns the actor as a client sees it: one who was deleted has this name.
func (a RowActor) named(somebody string) RowActor {
	if a.Gone != "" {
		a.Name, a.Gone = somebody, ""
	}
	return a
}

// NameSomebody gives deleted actors this name, in the list of actors and in the title that the row shows. The title that
// the sender wrote stays.
func (e *Entry) NameSomebody(name string) {
	if e.Group == nil || !slices.ContainsFunc(e.Group.Actors, func(a RowActor) bool { return a.Gone != "" }) {
		return
	}
	g := *e.Group
	g.Actors = slices.Clone(g.Actors)
	for i := range g.Actors {
		if g.Actors[i].Gone != "" {
			g.Actors[i].Name = name
		}
	}
	e.Group = &g
	e.Show()
}
