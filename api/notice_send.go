package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// maxBatchBody is the maximum size of a batch in bytes.
const maxBatchBody = 8 << 20

type sendInput struct {
	Once    string `header:"Idempotency-Key" doc:"Makes the call safe to repeat for 24 hours: the same request with the same key gets the first answer again, with Idempotent-Replayed: true. 1 to 255 visible ASCII characters."`
	DryRun  string `query:"dry_run" doc:"1 or true: validates the notice and answers 200 with the people who would get it, by which ways, and how many of them are asleep. Nothing is sent or stored, the Idempotency-Key neither."`
	Payload payload[noticeInput]
}

type sendOutput struct {
	Location string `header:"Location" doc:"The address of the notice."`
	Replayed string `header:"Idempotent-Replayed" doc:"true if the same request was accepted before: this is the first answer again." enum:"true"`
	Status   int
	Body     sentBody
}

// acceptedNotice is a notice that is stored and will reach its recipients.
type acceptedNotice struct {
	ID    int64  `json:"id" doc:"The ID of the notice." minimum:"1"`
	State string `json:"state" doc:"accepted: the notice is stored and will be delivered. scheduled: it will be sent at send_at. Its address shows its progress." enum:"accepted,scheduled"`
	URL   string `json:"url" doc:"The address of the notice."`
}

// acceptedAs is the same for each repetition of a request, whatever has become of the notice.
func acceptedAs(ctx context.Context, n *notifier.Notice) acceptedNotice {
	state := notifier.StateAccepted
	if !n.SendAt.IsZero() {
		state = notifier.StateScheduled
	}
	return acceptedNotice{ID: n.ID, State: string(state), URL: web.At(ctx, prefix+"/notices/"+strconv.FormatInt(n.ID, 10))}
}

// send accepts one notice.
func (s *server) send(ctx context.Context, in *sendInput) (*sendOutput, error) {
	if err := checkOnce(in.Once); err != nil {
		return nil, err
	}
	n := &in.Payload.Value
	if try, err := dryRun(in.DryRun).on(); err != nil {
		return nil, err
	} else if try {
		return s.try(ctx, n)
	}
	request, err := s.request(ctx, in.Once, n, -1)
	var result notifier.Result
	if err == nil {
		result = s.sendAll(ctx, []notifier.Request{request})[0]
		err = result.Err
	}
	if err != nil {
		return nil, unsent(n, "body.", err)
	}
	out := &sendOutput{Status: http.StatusAccepted, Body: sentBody{acceptedNotice: acceptedAs(ctx, &result.Notice)}}
	out.Location = out.Body.URL
	if result.Replayed {
		out.Replayed = "true"
	}
	return out, nil
}

// sendAll sends notices. The key of an app adds the users that do not exist yet; with any other key they
// are a fault of the notice.
func (s *server) sendAll(ctx context.Context, all []notifier.Request) []notifier.Result {
	key := callerOf(ctx)
	if key.AppID == 0 {
		return s.Notices.SendAll(ctx, s.actor(ctx), all)
	}
	return s.Notices.SendAllBringing(ctx, s.actor(ctx), all, func(ctx context.Context, names []string) error {
		return s.People.Bring(ctx, s.actor(ctx), key.AppID, names)
	})
}

// request converts a notice to a request for Sender. The index is its place in a batch, and
// negative outside of one.
func (s *server) request(ctx context.Context, once string, n *noticeInput, index int) (notifier.Request, error) {
	return s.submitter(ctx).request(once, n, index)
}

// unsent gives the faults of an error their places in the request.
func unsent(n *noticeInput, where string, err error) error {
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return invalid(bad, func(field string) string { return where + n.place(field) })
	}
	return err
}

type batchInput struct {
	Once string `header:"Idempotency-Key" doc:"Makes each notice of the call safe to repeat for 24 hours. 1 to 255 visible ASCII characters."`
	DryInput
	Payload payload[batchBody]
}

type batchBody struct {
	Notices bounded[noticeInput, upToNotices] `json:"notices" minItems:"1" doc:"Up to 1,000 notices. Each is accepted or refused on its own."`
}

type batchOutput struct {
	Replayed string `header:"Idempotent-Replayed" doc:"true if every accepted notice had been accepted before." enum:"true"`
	Body     batchResults
}

type batchResults struct {
	Results []batchResult `json:"results" doc:"One result for each notice, in order."`
}

// batchResult is an accepted notice, or the reason for refusing it.
type batchResult struct {
	ID    int64    `json:"id,omitempty" doc:"The ID of an accepted notice."`
	State string   `json:"state,omitempty" enum:"accepted,scheduled" doc:"accepted or scheduled for an accepted notice; otherwise left out."`
	URL   string   `json:"url,omitempty" doc:"The address of an accepted notice."`
	Error *problem `json:"error,omitempty" doc:"The reason for refusing the notice."`
}

// sendBatch accepts the valid ones of up to maxBatch notices, with one commit.
func (s *server) sendBatch(ctx context.Context, in *batchInput) (*batchOutput, error) {
	if err := cmp.Or(checkOnce(in.Once), in.refuse()); err != nil {
		return nil, err
	}
	all := in.Payload.Value.Notices
	if len(all) == 0 {
		return nil, invalidAt("body.notices", notifier.CodeRequired, nil)
	}
	faults := make([]error, len(all))
	requests, places := make([]notifier.Request, 0, len(all)), make([]int, 0, len(all))
	for i := range all {
		r, err := s.request(ctx, in.Once, &all[i], i)
		if err != nil {
			faults[i] = err
			continue
		}
		requests, places = append(requests, r), append(places, i)
	}
	out := &batchOutput{Body: batchResults{Results: make([]batchResult, len(all))}}
	accepted, replayed := 0, 0
	for k, r := range s.sendAll(ctx, requests) {
		i := places[k]
		if faults[i] = r.Err; r.Err != nil {
			continue
		}
		accepted++
		if r.Replayed {
			replayed++
		}
		a := acceptedAs(ctx, &r.Notice)
		out.Body.Results[i] = batchResult{ID: a.ID, State: a.State, URL: a.URL}
	}
	if accepted > 0 && accepted == replayed {
		out.Replayed = "true"
	}
	if accepted == 0 {
		if err := commonFault(faults); err != nil {
			return nil, err
		}
	}
	for i, err := range faults {
		if err != nil {
			out.Body.Results[i].Error = s.problemOf(ctx, unsent(&all[i], "body.notices["+strconv.Itoa(i)+"].", err))
		}
	}
	return out, nil
}

// commonFault returns the first error that is not the fault of a notice, or nil. With such an
// error and no accepted notice, the caller should repeat the whole call.
func commonFault(errs []error) error {
	for _, err := range errs {
		if status, _, _ := outcome(err); status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
			if bad := (*notifier.InvalidError)(nil); !errors.As(err, &bad) {
				return err
			}
		}
	}
	return nil
}
