package notifier

import (
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// The first words of a reason. The catalogues have a message `reason.WORD` for each.
const (
	ReasonUser     = "user"     // the user was named
	ReasonRole     = "role"     // role:NAME, the user is a member of that role
	ReasonTopic    = "topic"    // topic:TYPE:SCOPE, the user subscribes to that topic
	ReasonAudience = "audience" // the user belongs to an audience
)

// Why is the reason why some recipients get a notice.
type Why struct {
	Reason string
	To     *roaring.Bitmap // nil: all remaining recipients
}

// SplitReason splits a reason into its first word and the rest.
func SplitReason(reason string) (word, rest string) {
	word, rest, _ = strings.Cut(reason, ":")
	return word, rest
}

// Reason returns why a notice with this target arrives. Some recipients of a notice to a
// topic or to several roles have another reason; see Notice.ReasonFor.
func (t Target) Reason() string {
	switch {
	case len(t.Audiences) > 0:
		return ReasonAudience
	case t.Role != "":
		return ReasonRole + ":" + t.Role
	case len(t.Roles) > 0:
		return ReasonRole + ":" + t.Roles[0]
	case t.Topic != Topic{}:
		return ReasonTopic + ":" + t.Topic.Type + ":" + t.Topic.Scope
	}
	return ReasonUser
}

// ReasonFor returns why this user gets the notice: the first of Reasons that includes
// them, otherwise the reason of the target.
func (n *Notice) ReasonFor(seq int64) string {
	for _, why := range n.Reasons {
		if why.To == nil || why.To.ContainsInt(int(seq)) {
			return why.Reason
		}
	}
	return n.Target.Reason()
}

// ContentFor returns the content of the notice with this user's reason.
func (n *Notice) ContentFor(seq int64) Content {
	c := n.Content()
	c.Reason = n.ReasonFor(seq)
	return c
}

// Deliveries returns the deliveries of the notice to these recipients: one per reason, in
// the order in which the reasons first occur among the recipients.
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
