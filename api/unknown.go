package api

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/carillonhq/carillon/notifier"
)

const (
	unknownField = "unknown field"

	maxMeant = 40 // bytes of an unknown field that is compared with the known ones
	slips    = 2  // the most letters in which it may differ from the one that was meant
)

// otherNames are names that other services have for some fields.
var otherNames = map[string]string{"text": "body", "message": "body", "url": "link", "href": "link"}

// unknown has the unknown fields of a body, and for each the known one that was probably meant.
type unknown struct {
	compared int // fields, at most maxFaults
	meant    map[string]string
}

// note finds out what was meant by a field that the schema of its object does not have. dec has just read its name.
func (u *unknown) note(s *huma.Schema, name string, dec *jsontext.Decoder) {
	if s.Properties[name] != nil || u.compared >= maxFaults {
		return
	}
	if closed, is := s.AdditionalProperties.(bool); !is || closed {
		return // the caller names the fields
	}
	u.compared++
	if near := meant(name, slices.Sorted(maps.Keys(s.Properties))); near != "" {
		if u.meant == nil {
			u.meant = map[string]string{}
		}
		u.meant[location(dec.StackPointer())] = near
	}
}

// meant returns the known field that was probably meant by name, or "". It is not one that shares no letter with name,
// as those of two letters may.
func meant(name string, known []string) string {
	if len(name) > maxMeant {
		return ""
	}
	name = strings.ToLower(name)
	if other := otherNames[name]; slices.Contains(known, other) {
		return other
	}
	near, least := "", slips+1
	for _, field := range known {
		if n := notifier.Mistakes([]rune(name), []rune(field)); n < least && n < min(len(name), len(field)) {
			near, least = field, n
		}
	}
	return near
}

// explain gives the faults that are about unknown fields their message.
func (u *unknown) explain(faults ...error) []error {
	for _, fault := range faults {
		var detail *huma.ErrorDetail
		if errors.As(fault, &detail) && (detail.Message == validation.MsgUnexpectedProperty || detail.Message == unknownField) {
			detail.Message = unknownField + didYouMean(u.meant[detail.Location])
		}
	}
	return faults
}

// unknownParameter is Huma's message for a parameter that its call does not have.
const unknownParameter = "unknown query parameter"

// explainParameter adds what was meant to a fault that is about an unknown parameter of the query.
func explainParameter(op *huma.Operation, e *huma.ErrorDetail) {
	name, of := strings.CutPrefix(e.Location, "query.")
	if !of || e.Message != unknownParameter {
		return
	}
	var known []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	e.Message += didYouMean(meant(name, known))
}

func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}
