package locale_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// draftCodes returns the values of the constants in package notifier whose comment calls them the
// FieldError codes of drafts.
func draftCodes(t *testing.T) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../notifier/draft_codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		block, ok := decl.(*ast.GenDecl)
		if !ok || !strings.HasPrefix(block.Doc.Text(), "FieldError codes of drafts.") {
			continue
		}
		for _, spec := range block.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok || len(value.Values) != 1 {
				t.Fatalf("%v is no constant", spec)
			}
			literal, ok := value.Values[0].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s has no literal value", value.Names[0].Name)
			}
			code, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
	}
	if len(codes) == 0 {
		t.Fatal("no codes found")
	}
	return codes
}
