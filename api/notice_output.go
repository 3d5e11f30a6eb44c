package api

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// stamp is a time as the API writes it: RFC 3339 with milliseconds, in UTC. The
// zero time is nothing.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// noticeOutput is a notice as its sender sees it.
type noticeOutput struct {
	ID          int64       `json:"id" doc:"Its number."`
	State       string      `json:"state" enum:"accepted,sending,sent,retracting,retracted" doc:"How far it has come. accepted and sending become sent, retracting becomes retracted."`
	Key         string      `json:"key" doc:"The key of its row in inboxes: type and subject."`
	Revision    int64       `json:"revision" doc:"How often it was edited."`
	Sender      string      `json:"sender" doc:"Who sent it: key NAME for a key."`
	Target      targetInput `json:"target" doc:"Whom it was sent to."`
	Type        string      `json:"type" doc:"Its type."`
	Subject     string      `json:"subject" doc:"The thing it is about."`
	Scope       string      `json:"scope" doc:"Where it belongs."`
	Title       string      `json:"title" doc:"Its title."`
	Body        string      `json:"body" doc:"Its text."`
	Link        string      `json:"link" doc:"Where it leads."`
	Toast       bool        `json:"toast" doc:"It was shown in the corner of open pages too."`
	CreatedAt   string      `json:"created_at" format:"date-time" doc:"When it was accepted."`
	ExpiresAt   string      `json:"expires_at" format:"date-time" doc:"When it goes from every inbox."`
	StartsAt    string      `json:"starts_at,omitempty" format:"date-time" doc:"Of one to audiences: when it opens."`
	EndsAt      string      `json:"ends_at,omitempty" format:"date-time" doc:"Of one to audiences: when it is over."`
	Pinned      bool        `json:"pinned,omitempty" doc:"Of one to audiences: it stands on every page until it is read."`
	LateJoiners bool        `json:"late_joiners,omitempty" doc:"Of one to audiences: who joins later sees it too."`
	Counts      counts      `json:"counts" doc:"How many it was for, how many have it, and how many have read it."`
}

// counts is how far a notice has come. What is not known is left out.
type counts struct {
	Targeted  *int64 `json:"targeted,omitempty" doc:"Recipients. Left out until they are settled."`
	Delivered *int64 `json:"delivered,omitempty" doc:"Recipients whose inbox got it. Left out when it is not known, as while Redis is away."`
	Read      *int64 `json:"read,omitempty" doc:"Recipients who have read it. Left out when it is not known."`
}

func (s *server) noticeOutput(p *notifier.Progress) noticeOutput {
	n := &p.Notice
	return noticeOutput{
		ID: n.ID, State: string(n.State), Key: n.Key(), Revision: n.Revision, Sender: n.Sender, Target: s.targetOutput(n.Target),
		Type: n.Type, Subject: n.Subject, Scope: n.Scope, Title: n.Title, Body: n.Body, Link: n.Link, Toast: n.Toast,
		CreatedAt: stamp(n.CreatedAt), ExpiresAt: stamp(n.ExpiresAt), StartsAt: stamp(n.StartsAt), EndsAt: stamp(n.EndsAt),
		Pinned: n.Pinned, LateJoiners: n.LateJoiners, Counts: countsOf(p),
	}
}

func (s *server) targetOutput(t notifier.Target) targetInput {
	out := targetInput{Users: t.Users, Role: t.Role}
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

// shareCounts sums up the audiences of an announcement. Whoever sees it has it.
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
