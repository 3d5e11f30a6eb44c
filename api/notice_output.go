package api

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// stamp formats a time for answers: RFC 3339 with milliseconds, in UTC. The zero time is the
// empty text.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// noticeOutput is a notice in an answer to its sender.
type noticeOutput struct {
	ID         int64       `json:"id" doc:"The ID of the notice."`
	State      string      `json:"state" enum:"scheduled,accepted,sending,sent,retracting,retracted" doc:"The progress of the delivery. scheduled becomes accepted at send_at; accepted and sending become sent; retracting becomes retracted."`
	Key        string      `json:"key" doc:"The key of its inbox entries: type and subject, after the number of the app that sent it, if one did."`
	Revision   int64       `json:"revision" doc:"How often the notice was edited."`
	Sender     string      `json:"sender" doc:"The sender, to be shown: key NAME for a key, rule NAME for a rule, outbox NAME for an outbox, the name of a user, or a command. Empty for a deleted user."`
	SenderKind string      `json:"sender_kind" enum:"user,key,rule,outbox,command" doc:"The kind of the sender. A user named key shop is still of the kind user."`
	SenderID   string      `json:"sender_id" doc:"Identifies the sender within its kind: the name of a key or a rule, the number of a user, or the command. 0 for a deleted user."`
	App        string      `json:"app,omitempty" doc:"The name of the app whose key sent it; left out for any other sender, and for what was sent before apps had namespaces."`
	Target     targetInput `json:"target" doc:"The recipients that it was sent to."`
	Type       string      `json:"type" doc:"The type of the notice."`
	Subject    string      `json:"subject" doc:"The thing that the notice is about."`
	Scope      string      `json:"scope" doc:"The part of the application that the notice belongs to."`
	Title      string      `json:"title" doc:"One line."`
	Body       string      `json:"body" doc:"Text; lines end with LF."`
	Link       string      `json:"link" doc:"A path or an address; may be empty. A link of an app is an address on its pages."`
	ExtrasOutput
	TakeOutput
	Toast       bool   `json:"toast" doc:"Whether it was also shown as a toast."`
	CreatedAt   string `json:"created_at" format:"date-time" doc:"When the notice was accepted."`
	SendAt      string `json:"send_at,omitempty" format:"date-time" doc:"When it is to be sent, or was, if that was scheduled."`
	ExpiresAt   string `json:"expires_at" format:"date-time" doc:"When the notice leaves every inbox."`
	StartsAt    string `json:"starts_at,omitempty" format:"date-time" doc:"Announcements only: when it opens."`
	EndsAt      string `json:"ends_at,omitempty" format:"date-time" doc:"Announcements only: when it closes."`
	Pinned      bool   `json:"pinned,omitempty" doc:"Announcements only: stays on every page until the reader has read it."`
	LateJoiners bool   `json:"late_joiners,omitempty" doc:"Announcements only: also shown to users who join an audience after it opened."`
	Counts      counts `json:"counts" doc:"The numbers of recipients: in total, with the notice in their inbox, and having read it."`
}

// counts holds the numbers of recipients of a notice. Unknown ones are left out.
type counts struct {
	Targeted  *int64 `json:"targeted,omitempty" doc:"Number of recipients. Left out until it is determined."`
	Delivered *int64 `json:"delivered,omitempty" doc:"Number of recipients whose inbox has received the notice. Left out if it is unknown, for example while Redis is unavailable."`
	Read      *int64 `json:"read,omitempty" doc:"Number of recipients who have read the notice. Left out if it is unknown."`
}

func (s *server) noticeOutput(p *notifier.Progress) noticeOutput {
	n := &p.Notice
	state := n.State
	if n.Announces() && !n.SendAt.IsZero() && n.PhaseAt(s.Now()) == notifier.PhaseScheduled {
		state = notifier.StateScheduled
	}
	return noticeOutput{
		ID: n.ID, State: string(state), Key: n.Key(), Revision: n.Revision,
		Sender: n.Sender.String(), SenderKind: string(n.Sender.Kind), SenderID: n.Sender.ID, App: n.App.Name, Target: s.targetOutput(n.Target),
		Type: n.Type, Subject: n.Subject, Scope: n.Scope, Title: n.Title, Body: n.Body, Link: n.Link, ExtrasOutput: newExtrasOutput(&n.Extras), TakeOutput: newTakeOutput(n.Extras.Take), Toast: n.Toast,
		CreatedAt: stamp(n.CreatedAt), SendAt: stamp(n.SendAt), ExpiresAt: stamp(n.ExpiresAt), StartsAt: stamp(n.StartsAt), EndsAt: stamp(n.EndsAt),
		Pinned: n.Pinned, LateJoiners: n.LateJoiners, Counts: countsOf(p),
	}
}

func (s *server) targetOutput(t notifier.Target) targetInput {
	out := targetInput{Users: t.Users, Role: t.Role, Roles: t.Roles}
	if t.Topic != (notifier.Topic{}) {
		out.Topic = &topicInput{Type: t.Topic.Type, Scope: t.Topic.Scope}
	}
	if len(t.Audiences) > 0 {
		out.Audiences = audienceNames(s.Audiences, t.Audiences)
	}
	return out
}

func countsOf(p *notifier.Progress) counts {
	var c counts
	if p.Announces() {
		return shareCounts(p.Shares)
	}
	if p.Routed {
		c.Targeted = &p.Recipients
	}
	if p.Counted {
		c.Delivered = &p.Delivered
		if !p.ReadUnknown {
			c.Read = &p.Read
		}
	}
	return c
}

// shareCounts adds up the audiences of an announcement. All members count as delivered, since
// an announcement is not delivered to inboxes.
func shareCounts(shares []notifier.Share) counts {
	members, reads, counted := int64(0), int64(0), true
	for _, share := range shares {
		members += share.Members
		reads += share.Reads
		counted = counted && share.Counted
	}
	c := counts{Targeted: &members, Delivered: &members}
	if counted {
		c.Read = &reads
	}
	return c
}
