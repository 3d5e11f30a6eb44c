package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// schema is the part of a JSON Schema that the document uses.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"` // a name, or a list of a name and "null"
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	Enum        []any              `json:"enum"`
	OneOf       []*schema          `json:"oneOf"`
	Description string             `json:"description"`
}

// object is a type of a client.
type object struct {
	name    string
	members []member
}

type member struct {
	name     string // in JSON
	about    string
	required bool
	nullable bool
	is       kind
}

// kind is the type of a member. Exactly one of its fields is set, besides list.
type kind struct {
	basic  string   // string, integer, number, boolean, or any
	words  []string // the strings that are possible
	object string   // another type
	oneOf  []kind
	list   bool // a list of these
}

func (s *schema) object(name string, known map[string]string) (object, error) {
	o := object{name: name}
	for _, m := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[m]
		is, err := p.kind(known)
		if err != nil {
			return o, fmt.Errorf("%s: %w", m, err)
		}
		_, nullable := p.base()
		o.members = append(o.members, member{
			name: m, about: strings.Join(strings.Fields(p.Description), " "), required: slices.Contains(s.Required, m),
			nullable: nullable && !is.list, is: is, // a list that is null is an empty one
		})
	}
	return o, nil
}

// base returns the type without null, and whether null is possible.
func (s *schema) base() (name string, nullable bool) {
	switch t := s.Type.(type) {
	case string:
		return t, false
	case []any:
		for _, one := range t {
			if one == "null" {
				nullable = true
			} else {
				name, _ = one.(string)
			}
		}
	}
	return name, nullable
}

func (s *schema) kind(known map[string]string) (kind, error) {
	if s.Ref != "" {
		name, ok := known[path.Base(s.Ref)]
		if !ok {
			return kind{}, fmt.Errorf("names does not have %s", path.Base(s.Ref))
		}
		return kind{object: name}, nil
	}
	switch base, _ := s.base(); base {
	case "string":
		if len(s.Enum) > 0 {
			words := make([]string, len(s.Enum))
			for i, w := range s.Enum {
				words[i], _ = w.(string)
			}
			return kind{words: words}, nil
		}
		return kind{basic: base}, nil
	case "integer", "number", "boolean":
		return kind{basic: base}, nil
	case "array":
		of, err := s.Items.kind(known)
		of.list = true
		return of, err
	}
	of := kind{}
	for _, one := range s.OneOf {
		is, err := one.kind(known)
		if err != nil {
			return kind{}, err
		}
		of.oneOf = append(of.oneOf, is)
	}
	if of.oneOf == nil {
		of.basic = "any" // an object of the caller's
	}
	return of, nil
}
