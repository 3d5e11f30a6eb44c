package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// sends contains the methods that send a pipeline to Redis, with their number of arguments. The methods of SQL with
// these names take more.
var sends = map[string]int{"Exec": 1, "Pipelined": 2, "TxPipelined": 2}

// A queued command fails only when its pipeline is sent, so a dropped error may hide a change that was never made.
func TestDroppedErrorsOfPipelinesSayWhy(t *testing.T) {
	t.Parallel()
	dropped := 0
	for _, name := range files(t, ".go") {
		if strings.HasSuffix(name, "_test.go") || family(path.Dir(name)) == "bench" {
			continue
		}
		n, silent := droppedSends(t, filepath.Join(root(t), name), nil)
		dropped += n
		for _, at := range silent {
			t.Errorf("%s:%d drops the error of a pipeline: return it, or give the reason in a comment next to it", name, at)
		}
	}
	if dropped == 0 {
		t.Error("no pipeline drops its error: this test searches for the wrong calls")
	}
}

func TestEveryFormOfADroppedErrorIsFound(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"_, _ = pipe.Exec(ctx)":                                      1,
		"pipe.Exec(ctx)":                                             1,
		"_ = rdb.Pipeline().Exec(ctx)":                               1,
		"cmds, _ := pipe.Exec(ctx); _ = cmds":                        1,
		"defer pipe.Exec(ctx)":                                       1,
		"go pipe.Exec(ctx)":                                          1,
		"_, _ = rdb.TxPipelined(ctx, func() { pipe.Get(ctx) })":      1,
		"_, _ = pipe.Exec(ctx) // each command holds its own error":  0,
		"// each command holds its own error\n_, _ = pipe.Exec(ctx)": 0,
		"x() // of another statement\n_, _ = pipe.Exec(ctx)":         1,
		"// of another statement\nx()\n_, _ = pipe.Exec(ctx)":        1,
		"if _, err := pipe.Exec(ctx); err != nil {}":                 0,
		"wg.Wait()":                  0,
		"_, _ = db.Exec(ctx, query)": 0,
	} {
		if _, silent := droppedSends(t, "", "package x\nfunc f() {\n"+code+"\n}"); len(silent) != want {
			t.Errorf("%s: found on the lines %v; want %d", code, silent, want)
		}
	}
}

// droppedSends counts the calls of a file that drop the error of a pipeline, and returns the lines of those without a
// comment. src is as in parser.ParseFile.
func droppedSends(t *testing.T, file string, src any) (n int, silent []int) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	line := func(at token.Pos) int { return set.Position(at).Line }
	said, code := map[int]bool{}, map[int]bool{} // lines with the end of a comment, and with the end of a statement
	for _, group := range f.Comments {
		said[line(group.End())] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok {
			code[line(s.End())] = true
		}
		return true
	})
	ast.Inspect(f, func(node ast.Node) bool {
		call := droppedCall(node)
		if call == nil {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) == 0 || sends[method.Sel.Name] != len(call.Args) {
			return true
		}
		n++
		above := line(node.Pos()) - 1
		if !said[line(node.End())] && (!said[above] || code[above]) {
			silent = append(silent, line(node.Pos()))
		}
		return true
	})
	return n, silent
}

// droppedCall returns the call of a statement that drops its last result; nil for any other statement.
func droppedCall(n ast.Node) *ast.CallExpr {
	var dropped ast.Expr
	switch n := n.(type) {
	case *ast.ExprStmt:
		dropped = n.X
	case *ast.GoStmt:
		dropped = n.Call
	case *ast.DeferStmt:
		dropped = n.Call
	case *ast.AssignStmt:
		if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && len(n.Rhs) == 1 {
			dropped = n.Rhs[0]
		}
	}
	call, _ := dropped.(*ast.CallExpr)
	return call
}
