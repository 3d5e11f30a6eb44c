package api

import (
	"context"

	"github.com/carillonhq/carillon/notifier/inbox"
)

type meCountsInput struct {
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. If it is still current, the answer is 304 without a body."`

	By string `query:"by" required:"true" enum:"type,scope,app" doc:"What to count by."`
}

// meCounts are the counts of an inbox by name; one of them is set.
type meCounts struct {
	Type  map[string]meCount `json:"type,omitzero" required:"false" doc:"The counts by type."`
	Scope map[string]meCount `json:"scope,omitzero" required:"false" doc:"The counts by scope."`
	App   map[string]meCount `json:"app,omitzero" required:"false" doc:"The counts by app."`
}

type meCount struct {
	Rows   int64 `json:"rows" minimum:"1" doc:"Notices in the inbox."`
	Unread int64 `json:"unread" minimum:"0" doc:"The unread ones among them."`
}

func (m *me) counts(ctx context.Context, in *meCountsInput) (*tagged[meCounts], error) {
	list, err := m.Inbox.CountBy(ctx, askerOf(ctx).User.Seq, in.By)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]meCount, len(list))
	for _, c := range list {
		counts[c.Name] = meCount{c.Rows, c.Unread}
	}
	var answer meCounts
	switch in.By {
	case inbox.ByType:
		answer.Type = counts
	case inbox.ByScope:
		answer.Scope = counts
	default:
		answer.App = counts
	}
	return tag(&answer, in.IfNoneMatch)
}
