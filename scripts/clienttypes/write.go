package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"slices"
	"strings"
)

const generated = "Code generated from the OpenAPI document by scripts/clienttypes. DO NOT EDIT."

func inGo(types []object) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage carillon\n", generated)
	for _, o := range types {
		fmt.Fprintf(&b, "\n// %s is a JSON object of the API.\ntype %s struct {\n", o.name, o.name)
		for _, m := range o.members {
			if m.about != "" {
				fmt.Fprintf(&b, "// %s\n", m.about)
			}
			tag := m.name
			if !m.required {
				tag += ",omitzero" // an empty list is sent
			}
			fmt.Fprintf(&b, "%s %s `json:%q`\n", goName(m.name), goType(m), tag)
		}
		b.WriteString("}\n")
	}
	return format.Source(b.Bytes())
}

// goName returns a name with the capitals of Go.
func goName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part == "id" || part == "url" {
			part = strings.ToUpper(part)
		}
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// goType returns the type of a field. A member that may be absent or null is of the type any: nil is left out, and Null is sent.
func goType(m member) string {
	basic := map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}
	t := cmp.Or(basic[m.is.basic], m.is.object, "any")
	if m.is.words != nil {
		t = "string"
	}
	switch {
	case m.is.list:
		return "[]" + t
	case m.nullable && !m.required:
		return "any"
	case m.nullable, m.is.object != "" && !m.required:
		return "*" + t
	}
	return t
}

func inPython(types []object) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\nfrom __future__ import annotations\n\nfrom typing import Any, Literal, NotRequired, TypedDict\n", generated)
	basic := map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "any": "Any"}
	for _, o := range types {
		keyword := slices.ContainsFunc(o.members, func(m member) bool { return m.name == "else" })
		start, line, end := "class %s(TypedDict):\n", "    %s: %s\n", ""
		if keyword { // no name of an attribute
			start, line, end = "%[1]s = TypedDict(\n    %[1]q,\n    {\n", "        %q: %s,\n", "    },\n)\n"
		}
		fmt.Fprintf(&b, "\n\n"+start, o.name)
		for _, m := range o.members {
			t := m.is.written(basic, func(words []string) string { return "Literal[" + quoted(words, ", ") + "]" }, func(of string) string { return "list[" + of + "]" })
			if m.nullable {
				t += " | None"
			}
			if !m.required {
				t = "NotRequired[" + t + "]"
			}
			if m.about != "" && !keyword {
				fmt.Fprintf(&b, "    # %s\n", m.about)
			}
			fmt.Fprintf(&b, line, m.name, t)
		}
		b.WriteString(end)
	}
	return b.Bytes(), nil
}

func inTypeScript(types []object) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n", generated)
	basic := map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "any": "unknown"}
	for _, o := range types {
		fmt.Fprintf(&b, "\nexport interface %s {\n", o.name)
		for _, m := range o.members {
			t := m.is.written(basic, func(words []string) string { return quoted(words, " | ") }, func(of string) string { return "Array<" + of + ">" })
			if m.nullable {
				t += " | null"
			}
			mark := "?"
			if m.required {
				mark = ""
			}
			if m.about != "" {
				fmt.Fprintf(&b, "  /** %s */\n", m.about)
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", m.name, mark, t)
		}
		b.WriteString("}\n")
	}
	return b.Bytes(), nil
}

// written returns the type in a language, given how it writes basic types, a choice of words, and lists.
func (k kind) written(basic map[string]string, choice func([]string) string, list func(string) string) string {
	t := cmp.Or(k.object, basic[k.basic])
	if k.words != nil {
		t = choice(k.words)
	}
	if k.oneOf != nil {
		types := make([]string, len(k.oneOf))
		for i, one := range k.oneOf {
			types[i] = one.written(basic, choice, list)
		}
		t = strings.Join(types, " | ")
	}
	if k.list {
		return list(t)
	}
	return t
}

// quoted returns words as string literals, which the three languages write in the same way.
func quoted(words []string, between string) string {
	literals := make([]string, len(words))
	for i, w := range words {
		text, _ := json.Marshal(w) // a string can always be written
		literals[i] = string(text)
	}
	return strings.Join(literals, between)
}
