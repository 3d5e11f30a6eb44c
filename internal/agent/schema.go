package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Where the document has its schemas, and where a schema that stands alone has them.
const (
	inDocument = "#/components/schemas/"
	inSchema   = "#/$defs/"
)

// schema is a JSON Schema as an object.
type schema = map[string]any

// readSchemas returns the schemas of the tools that take what the API takes, each complete in itself.
func readSchemas(document []byte) (map[string]schema, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Ref string `json:"$ref"`
					} `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("read the description of the API: %w", err)
	}
	tools := map[string]schema{}
	for tool, path := range map[string]string{"notify": "/api/v1/notices", "ask": "/api/v1/asks"} {
		name := strings.TrimPrefix(doc.Paths[path]["post"].RequestBody.Content["application/json"].Schema.Ref, inDocument)
		root, ok := doc.Components.Schemas[name].(schema)
		if !ok {
			return nil, fmt.Errorf("the API does not describe what POST %s takes", path)
		}
		defs := schema{}
		alone, _ := detached(root, doc.Components.Schemas, defs).(schema)
		alone["$defs"] = defs
		delete(alone, "$schema")
		tools[tool] = alone
	}
	// ask also goes on waiting, with an id alone.
	ask := tools["ask"]
	delete(ask, "required")
	if fields, ok := ask["properties"].(schema); ok {
		delete(fields, "$schema")
		fields["id"] = schema{"type": "integer", "minimum": 1, "description": "Goes on waiting for this question, which was open; without other fields."}
	}
	return tools, nil
}

// detached copies a part of a schema, and the schemas that it refers to into defs.
func detached(part any, all, defs schema) any {
	switch part := part.(type) {
	case schema:
		to := make(schema, len(part))
		for key, value := range part {
			to[key] = detached(value, all, defs)
		}
		if ref, ok := part["$ref"].(string); ok && strings.HasPrefix(ref, inDocument) {
			name := strings.TrimPrefix(ref, inDocument)
			to["$ref"] = inSchema + name
			if _, done := defs[name]; !done {
				defs[name] = nil // a schema may refer to itself
				defs[name] = detached(all[name], all, defs)
			}
		}
		return to
	case []any:
		to := make([]any, len(part))
		for i, value := range part {
			to[i] = detached(value, all, defs)
		}
		return to
	}
	return part
}
