package api

import (
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/carillonhq/carillon/notifier"
)

// Payloads decodes notices and questions that do not come by a call, such as those in outboxes, with the rules of the
// bodies of POST /notices and POST /asks.
type Payloads struct {
	audiences   map[notifier.Audience]string
	notice, ask *huma.Operation
}

// Payload is a decoded payload.
type Payload struct {
	Request notifier.Request
	Place   func(field string) string // the path within the payload of a field of the draft
}

// NewPayloads returns a decoder for an installation with these audiences, by number.
func NewPayloads(audiences map[notifier.Audience]string) *Payloads {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	op := func(id string) *huma.Operation {
		return &huma.Operation{OperationID: id, Metadata: map[string]any{metaRegistry: registry}}
	}
	p := &Payloads{audiences, op("notice"), op("ask")}
	addBody[sendInput](p.notice, registry)
	addBody[askCallInput](p.ask, registry)
	return p
}

// Read decodes a payload of a sender, with the rights of an app if its id is not 0. With choices it is a question. The
// key once makes the request recognizable. The error lists all faults that show without a look at the installation, each with
// its field.
func (p *Payloads) Read(raw []byte, sender notifier.Ref, app int64, once string) (Payload, error) {
	from := submitter{p.audiences, sender, app}
	var kind struct {
		Choices jsontext.Value `json:"choices"`
	}
	_ = json.Unmarshal(raw, &kind) // the decoding below says what is wrong
	if len(kind.Choices) > 0 {
		var in askInput
		if faults := decode(raw, &in, p.ask); len(faults) > 0 {
			return Payload{}, listed(faults)
		}
		r, err := from.ask(once, &in)
		return payloadOf(r, in.notice(), err)
	}
	var in noticeInput
	if faults := decode(raw, &in, p.notice); len(faults) > 0 {
		return Payload{}, listed(faults)
	}
	r, err := from.request(once, &in, -1)
	return payloadOf(r, &in, err)
}

func payloadOf(r notifier.Request, n *noticeInput, err error) (Payload, error) {
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		texts := make([]string, len(bad.Fields))
		for i, f := range bad.Fields {
			texts[i] = n.place(f.Field) + " " + sentence(f.Code, f.Params)
		}
		err = errors.New(strings.Join(texts, "; "))
	}
	return Payload{r, n.place}, err
}

// listed joins the faults of a body.
func listed(faults []error) error {
	texts := make([]string, len(faults))
	for i, fault := range faults {
		texts[i] = fault.Error()
		if detail := (*huma.ErrorDetail)(nil); errors.As(fault, &detail) {
			where := "payload"
			if field, inside := strings.CutPrefix(detail.Location, "body."); inside {
				where = field
			}
			texts[i] = where + " " + detail.Message
		}
	}
	return errors.New(strings.Join(texts, "; "))
}
