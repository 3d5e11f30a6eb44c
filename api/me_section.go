package api

import (
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// maxOwnTypes is the maximum number of types that select a section of an inbox.
const maxOwnTypes = 20

// SectionInput selects a section of the inbox of the user who is asking. It is exported for Huma, which skips other embedded types.
type SectionInput struct {
	Type  string `query:"type" doc:"Only notices of these types: up to 20, separated by commas. No notice has an unknown type."`
	Scope string `query:"scope" doc:"Only notices of this scope. If it is given and empty: those without one."`
	App   string `query:"app" doc:"Only notices that this app sent. If it is given and empty: those that no app sent."`

	given url.Values
}

// Resolve notes which parameters were given: an empty one has a meaning.
func (in *SectionInput) Resolve(c huma.Context) []error {
	at := c.URL()
	in.given = at.Query()
	return nil
}

// section returns the section, or the faults of the parameters.
func (in *SectionInput) section() (of notifier.Section, err error) {
	var bad notifier.InvalidError
	for _, name := range []string{"type", "scope", "app"} {
		if len(in.given[name]) > 1 {
			bad.Add(name, codeOnce, nil)
		}
	}
	if in.given.Has("type") {
		of.Types = typesIn(in.Type, maxOwnTypes, &bad)
	}
	if in.given.Has("scope") {
		if of.Scope = &in.Scope; !notifier.ValidScope(in.Scope) {
			bad.Add("scope", notifier.CodeBadScope, nil)
		}
	}
	if in.given.Has("app") {
		if of.App = &in.App; in.App != "" && !notifier.ValidName(in.App) {
			bad.Add("app", notifier.CodeBadName, map[string]any{"Name": excerpt(in.App)})
		}
	}
	if len(bad.Fields) > 0 {
		return of, invalid(&bad, func(field string) string { return "query." + field })
	}
	return of, nil
}

// typesIn returns the types of a list with commas, and adds the faults of the parameter.
func typesIn(list string, most int, bad *notifier.InvalidError) []string {
	types := strings.SplitN(list, ",", most+1)
	if len(types) > most {
		bad.Add("type", codeTooMany, map[string]any{"Max": most})
	}
	for _, typ := range types[:min(len(types), most)] {
		if !notifier.ValidType(typ) {
			bad.Add("type", notifier.CodeBadType, nil)
			break
		}
	}
	return types
}
