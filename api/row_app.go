package api

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// rowApp is the app that sent the notice of a row, as readers see it.
type rowApp struct {
	Name  string `json:"name" xml:"name" doc:"Its name, as in app= of the calls that select by app."`
	Title string `json:"title" xml:"title" doc:"What people call it: its title, or else its name."`
	Icon  string `json:"icon,omitempty" xml:"icon,omitempty" doc:"The https address of its icon; left out if it has none."`
}

// plainRowApp is a rowApp without Schema.
type plainRowApp rowApp

// Schema describes the app as an object or null.
func (rowApp) Schema(r huma.Registry) *huma.Schema {
	s := huma.SchemaFromType(r, reflect.TypeFor[plainRowApp]())
	s.Nullable = true
	return s
}

// appOf returns the app of a row by its name; nil if none sent it.
func (s *server) appOf(ctx context.Context, name string) *rowApp {
	if name == "" {
		return nil
	}
	shown := rowApp(s.Tokens.Look(ctx, name))
	return &shown
}
