package notifier

import (
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// The first words of a reason. The catalogues hold a message `reason.WORD` for each.
const (
	ReasonUser     = "user"     // he was named
	ReasonRole     = "role"     // role:NAME, he is in that role
	ReasonTopic    = "topic"    // topic:TYPE:SCOPE, he subscribes to it
	ReasonAudience = "audience" // he is one of an audience
)

// Why is why some of a notice's recipients get it.
type Why struct {
	Reason string
	To     *roaring.Bitmap // nil: all the others
}

// SplitReason cuts a reason into its word, and what comes behind it.
func SplitReason(reason string) (word, rest string) {
	word, rest, _ = strings.Cut(reason, ":")
	return word, rest
}

// Reason says, in one word that the catalogues know and who is meant by it, why a
// notice with this target came. To a topic some may have come for another reason.
func (t Target) Reason() string {
	switch {
	case len(t.Audiences) > 0:
		return ReasonAudience
	case t.Role != "":
		return ReasonRole + ":" + t.Role
	case t.Topic != Topic{}:
		return ReasonTopic + ":" + t.Topic.Type + ":" + t.Topic.Scope
	}
	return ReasonUser
}

// ReasonFor is why this user gets the notice: the first of Reasons that has him,
// else that of its target.
func (n *Notice) ReasonFor(seq int64) string {
	for _, why := range n.Reasons {
		if why.To == nil || why.To.ContainsInt(int(seq)) {
			return why.Reason
		}
	}
	return n.Target.Reason()
}

// ContentFor is what the notice shows to this user.
func (n *Notice) ContentFor(seq int64) Content {
	c := n.Content()
	c.Reason = n.ReasonFor(seq)
	return c
}

// Deliveries is the notice on its way to these recipients: one delivery for each
// reason, in the order of the first recipient that has it.
func (n *Notice) Deliveries(seqs []int64) ([]Delivery, error) {
	if len(n.Reasons) == 0 {
		d, err := n.Delivery(seqs)
		return []Delivery{d}, err
	}
	var found []Delivery
	at := map[string]int{}
	for _, seq := range seqs {
		reason := n.ReasonFor(seq)
		i, known := at[reason]
		if !known {
			d, err := n.delivery(reason)
			if err != nil {
				return nil, err
			}
			i = len(found)
			at[reason] = i
			found = append(found, d)
		}
		found[i].Seqs = append(found[i].Seqs, seq)
	}
	return found, nil
}
