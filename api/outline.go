package api

import (
	"bytes"
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// maxOutline bounds the number of values that are read from a body. The largest valid batch
// has fewer.
const maxOutline = maxBatchNames + 30*maxBatch

// errOutline reports a body with more than maxOutline values.
var errOutline = errors.New("too many values")

// outline reads a body that did not decode, so that its schema can report everything that is
// wrong with it. It keeps the values that the schema describes. Of all others it keeps only
// their presence, and of faulty elements only as many as a problem lists, so that a body with
// a million faults costs no more than a valid one.
type outline struct {
	dec      *jsontext.Decoder
	registry huma.Registry
	values   int // read so far
	faults   int // found so far
	unknown  unknown
}

// outlineOf reads raw, and finds out what was meant by unknown fields. It returns syntax errors, a *tooManyError or
// errOutline.
func outlineOf(raw []byte, registry huma.Registry, schema *huma.Schema) (any, unknown, error) {
	o := &outline{
		// Names are not compared with each other. Decoding has compared them, up to the place
		// where it stopped, and millions of names must not be kept in memory here.
		dec: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true)), registry: registry,
	}
	document, err := o.value(schema)
	return document, o.unknown, err
}

func (o *outline) value(s *huma.Schema) (any, error) {
	for s.Ref != "" {
		s = o.registry.SchemaFromRef(s.Ref)
	}
	if o.values++; o.values > maxOutline {
		return nil, errOutline
	}
	switch kind := o.dec.PeekKind(); {
	case kind == '{' && s.Type == huma.TypeObject:
		return o.object(s)
	case kind == '[' && s.Type == huma.TypeArray:
		return o.array(s)
	case kind == '{':
		o.faults++
		return map[string]any{}, o.skip()
	case kind == '[':
		o.faults++
		return []any{}, o.skip()
	}
	return o.scalar(s)
}

// skip passes over a value. The values within it count.
func (o *outline) skip() error {
	for outside := o.dec.StackDepth(); ; {
		if _, err := o.dec.ReadToken(); err != nil {
			return err
		}
		if o.values++; o.values > maxOutline {
			return errOutline
		}
		if o.dec.StackDepth() == outside {
			return nil
		}
	}
}

// scalar reads a string, number, boolean or null; the value of null is nil.
func (o *outline) scalar(s *huma.Schema) (value any, err error) {
	token, err := o.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		o.wants(s, huma.TypeString)
		value = token.String()
	case '0':
		o.wants(s, huma.TypeInteger, huma.TypeNumber)
		value = token.Float()
	case 't', 'f':
		o.wants(s, huma.TypeBoolean)
		value = token.Bool()
	default:
		o.wants(s)
	}
	return value, nil
}

// wants counts a fault if the schema is of none of these types. Schemas that allow several
// types are not checked: few fields have one.
func (o *outline) wants(s *huma.Schema, types ...string) {
	for _, t := range types {
		if s.Type == t {
			return
		}
	}
	if s.Type != "" {
		o.faults++
	}
}

func (o *outline) object(s *huma.Schema) (any, error) {
	if _, err := o.dec.ReadToken(); err != nil {
		return nil, err
	}
	members := map[string]any{}
	for o.dec.PeekKind() == '"' {
		token, err := o.dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String()
		o.unknown.note(s, name, o.dec)
		if of := property(s, name); of != nil {
			if members[name], err = o.value(of); err != nil {
				return nil, err
			}
			continue
		}
		if open, _ := s.AdditionalProperties.(bool); !open {
			if o.faults++; o.faults <= maxFaults {
				members[name] = nil
			}
		}
		if err = o.skip(); err != nil {
			return nil, err
		}
	}
	for _, name := range s.Required {
		if _, there := members[name]; !there {
			o.faults++
		}
	}
	_, err := o.dec.ReadToken()
	return members, err
}

// property returns the schema of a member, or nil. It ignores case, as Huma's validation does:
// decoding is what refuses a name in the wrong case.
func property(s *huma.Schema, name string) *huma.Schema {
	if of := s.Properties[name]; of != nil {
		return of
	}
	for known, of := range s.Properties {
		if strings.EqualFold(known, name) {
			return of
		}
	}
	of, _ := s.AdditionalProperties.(*huma.Schema) // of an object whose members the caller names
	return of
}

func (o *outline) array(s *huma.Schema) (any, error) {
	if _, err := o.dec.ReadToken(); err != nil {
		return nil, err
	}
	elements := []any{}
	for n := 0; o.dec.PeekKind() != ']'; n++ {
		if s.MaxItems != nil && n == *s.MaxItems {
			return nil, &tooManyError{o.dec.StackPointer().Parent(), n}
		}
		if o.faults >= maxFaults {
			if err := o.skip(); err != nil {
				return nil, err
			}
			continue
		}
		element, err := o.value(s.Items)
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
	}
	_, err := o.dec.ReadToken()
	return elements, err
}
