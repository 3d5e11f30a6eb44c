package locale

import "github.com/carillonhq/carillon/notifier"

// Reception returns the sentence about whether a user got a notice, and why. Its times are in the user's zone, and name it.
func (p *Printer) Reception(r *notifier.Reception) string {
	user, name := r.User.Display, r.Name
	if user == "" {
		user = r.User.Name
	}
	if r.Topic != (notifier.Topic{}) {
		name = r.Topic.Type
		if r.Topic.Scope != "" {
			name = p.F("topic.scoped", "Type", r.Topic.Type, "Scope", r.Topic.Scope)
		}
	}
	pairs := []string{"User", user, "Name", name, "At", p.Moment(r.At), "Until", p.Moment(r.Until)}
	but := ""
	if r.But != "" {
		but = p.F("why.but_"+r.But, pairs...)
	}
	return p.F("why."+r.Why, append(pairs, "But", but)...)
}
