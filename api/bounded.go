package api

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/carillonhq/carillon/notifier"
)

// The maximum lengths of the lists in requests. A caller with a valid key must still not be
// able to fill the memory of the process: a list is refused at its first excess element.
const (
	maxAudiences  = 100
	maxRoles      = 200
	maxReadKeys   = 1000
	maxOwnKeys    = 200 // that a user changes at once
	maxBatch      = 1000
	maxBatchNames = 100_000 // names of users in all notices of a batch together
)

// bound is the maximum length of a list, as a type.
type bound interface{ most() int }

type (
	upToNames       struct{}
	upToAudiences   struct{}
	upToRoles       struct{}
	upToTargetRoles struct{}
	upToKeys        struct{}
	upToNotices     struct{}
)

func (upToNames) most() int       { return notifier.MaxNames }
func (upToAudiences) most() int   { return maxAudiences }
func (upToRoles) most() int       { return maxRoles }
func (upToTargetRoles) most() int { return notifier.MaxTargetRoles }
func (upToKeys) most() int        { return maxReadKeys }
func (upToNotices) most() int     { return maxBatch }

// weighed is an element that holds names of users. Together, the elements of a list may hold
// maxBatchNames: one of 1,000 notices may name many users, but not all of them.
type weighed interface{ names() int }

// bounded is a list in the body of a request. Decoding stops at the first excess element, so
// that a list of millions costs no more than a valid one.
type bounded[T any, B bound] []T

// UnmarshalJSONFrom reads the list. Its error is a *tooManyError when it is too long.
func (l *bounded[T, B]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '[' {
		return fmt.Errorf("expected a list, got %q", kind)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	var b B
	*l = bounded[T, B]{}
	names := 0
	for dec.PeekKind() != ']' {
		if len(*l) == b.most() {
			return &tooManyError{dec.StackPointer().Parent(), b.most()}
		}
		var zero T
		*l = append(*l, zero)
		last := &(*l)[len(*l)-1]
		if err := json.UnmarshalDecode(dec, last); err != nil {
			return err
		}
		if w, ok := any(last).(weighed); ok {
			if names += w.names(); names > maxBatchNames {
				return &tooManyError{dec.StackPointer().Parent(), maxBatchNames}
			}
		}
	}
	_, err := dec.ReadToken()
	return err
}

// Schema describes the list in the document. It also checks bodies that do not decode.
func (bounded[T, B]) Schema(r huma.Registry) *huma.Schema {
	var b B
	most := b.most()
	return &huma.Schema{
		Type: huma.TypeArray, Nullable: huma.DefaultArrayNullable, MaxItems: &most,
		Items: r.Schema(reflect.TypeFor[T](), true, ""),
	}
}

// tooManyError reports a list that is too long.
type tooManyError struct {
	at   jsontext.Pointer // of the list
	most int
}

func (e *tooManyError) Error() string { return fmt.Sprintf("%s has more than %d", e.at, e.most) }

// detail returns the fault as a problem lists it.
func (e *tooManyError) detail() *huma.ErrorDetail {
	return &huma.ErrorDetail{
		Location: location(e.at), Message: sentence(codeTooMany, map[string]any{"Max": e.most}),
	}
}

// tooMany returns the *tooManyError in a decoding error, or nil.
func tooMany(err error) *tooManyError {
	var found *tooManyError
	if errors.As(err, &found) {
		return found
	}
	return nil
}
