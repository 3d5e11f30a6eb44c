package api

import (
	"context"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

type noticeListInput struct {
	Since  string `query:"since" doc:"Only notices that were accepted at this time or later (RFC 3339)."`
	State  string `query:"state" enum:"scheduled,accepted,sending,sent,retracting,retracted" doc:"Only notices in this state."`
	Sender string `query:"sender" doc:"Only notices of this sender: KIND:ID, as in sender_kind and sender_id, such as key:shop."`
	Type   string `query:"type" doc:"Only notices of this type. No notice has an unknown type."`
	ListInput
}

type noticeListOutput struct{ Body noticePage }

// noticePage is one page of sent notices.
type noticePage struct {
	Notices []noticeOutput `json:"notices" nullable:"false" doc:"Newest first. Notices that come while you page belong to the first page."`
	Next    string         `json:"next,omitempty" doc:"The value of after for the next page; left out on the last page."`
}

// listSent returns a page of the notices that the caller may see: see own.
func (s *server) listSent(ctx context.Context, in *noticeListInput) (*noticeListOutput, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	page := noticePage{Notices: []noticeOutput{}}
	if key := callerOf(ctx); !key.Allows(notifier.ScopeAdmin) {
		own := senderOf(key)
		if !q.By.IsZero() && !q.By.Is(own) {
			return &noticeListOutput{page}, nil
		}
		q.By = own
	}
	found, reached, err := s.Store.SearchNotices(ctx, q, listPatience)
	if err != nil {
		return nil, err
	}
	page.Next = idCursor(reached.ID)
	if len(found) > in.Limit {
		found = found[:in.Limit]
		page.Next = idCursor(found[in.Limit-1].ID)
	}
	progress, err := s.Notices.ProgressOf(ctx, found)
	if err != nil {
		return nil, err
	}
	for i := range progress {
		page.Notices = append(page.Notices, s.noticeOutput(&progress[i]))
	}
	return &noticeListOutput{page}, nil
}

// query converts the parameters to a query for one notice more than fit on the page.
func (in *noticeListInput) query() (q notifier.NoticeQuery, err error) {
	q = notifier.NoticeQuery{Stage: notifier.State(in.State), Type: in.Type, Limit: in.Limit + 1, Names: maxListNames}
	var bad notifier.InvalidError
	if place := in.start(noticeList, &bad); place != "" {
		if q.Before, err = strconv.ParseInt(place, 10, 64); err != nil || q.Before < 1 {
			bad.Add("after", codeBadCursor, nil)
		}
	}
	if in.Since != "" {
		if q.Since, err = parseTime(in.Since); err != nil {
			bad.Add("since", codeBadTime, nil)
		}
	}
	if in.Sender != "" {
		var ok bool
		if q.By, ok = parseSender(in.Sender); !ok {
			bad.Add("sender", codeBadSender, nil)
		}
	}
	if in.Type != "" && !notifier.ValidType(in.Type) {
		bad.Add("type", notifier.CodeBadType, nil)
	}
	if len(bad.Fields) > 0 {
		return q, invalid(&bad, queryField)
	}
	return q, nil
}

// parseSender parses KIND:ID. The ID of a user is their number.
func parseSender(text string) (r notifier.Ref, ok bool) {
	kind, id, found := strings.Cut(text, ":")
	r = notifier.Ref{Kind: notifier.Kind(kind), ID: id}
	switch r.Kind {
	case notifier.KindUser:
		n, err := strconv.ParseInt(id, 10, 64)
		return r, err == nil && n >= 0 && strconv.FormatInt(n, 10) == id
	case notifier.KindKey, notifier.KindRule, notifier.KindOutbox, notifier.KindCommand:
		return r, found && notifier.ValidName(id)
	default:
		return r, false
	}
}
