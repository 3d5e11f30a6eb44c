package api

import (
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// nullable is a field of a body for which null has a meaning of its own, such as to remove something.
type nullable[T any] struct {
	Given bool // the field is there, null or not
	Value *T   // nil: null
}

// UnmarshalJSONFrom reads the field.
func (n *nullable[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	n.Given = true
	if dec.PeekKind() == 'n' {
		_, err := dec.ReadToken()
		return err
	}
	n.Value = new(T)
	return json.UnmarshalDecode(dec, n.Value)
}

// Schema describes the field in the document.
func (nullable[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// keyed is an object in a body whose members are named by the caller. Decoding stops at the first excess
// member.
type keyed[T any, B bound] map[string]T

// UnmarshalJSONFrom reads the object. Its error is a *tooManyError when it has too many members.
func (m *keyed[T, B]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '{' {
		return fmt.Errorf("expected an object, got %q", kind)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	var b B
	*m = keyed[T, B]{}
	for dec.PeekKind() != '}' {
		if len(*m) == b.most() {
			return &tooManyError{dec.StackPointer().Parent(), b.most()}
		}
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		var value T
		if err := json.UnmarshalDecode(dec, &value); err != nil {
			return err
		}
		(*m)[key] = value
	}
	_, err := dec.ReadToken()
	return err
}

// Schema describes the object in the document.
func (keyed[T, B]) Schema(r huma.Registry) *huma.Schema {
	var b B
	most := b.most()
	return &huma.Schema{Type: huma.TypeObject, MaxProperties: &most, AdditionalProperties: r.Schema(reflect.TypeFor[T](), true, "")}
}
