package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenAPIPrintsTheDocumentOfARunningServer(t *testing.T) {
	t.Parallel()
	s := serve(t, in(t.TempDir()))
	_, body := text(t, s.URL+"/api/v1/openapi.json")
	var served, printed any
	if err := json.Unmarshal([]byte(body), &served); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(must(t, call{}.run(t.Context(), "openapi")).out), &printed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(served, printed); diff != "" {
		t.Error(diff)
	}
}
