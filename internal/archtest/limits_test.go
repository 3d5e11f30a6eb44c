package archtest

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// limitDirs maps the package names in docs/limits.md to directories.
var limitDirs = map[string]string{
	"api": "api", "handlers": "handlers", "notifier": "notifier", "session": "internal/session", "live": "notifier/live", "store": "store",
	"notices": "notifier/notices", "outbox": "notifier/outbox", "channels": "notifier/channels", "announcement": "notifier/announcement", "app": "notifier/app", "ask": "notifier/ask", "identity": "internal/identity", "locale": "views/locale",
}

var (
	heldBy   = regexp.MustCompile("^`([a-z]+)\\.([A-Za-z]+)`$")
	defaults = regexp.MustCompile(`(?:def|setDefault)\(&\w+\.(\w+), ([\d_]+)`)
)

// numbers holds the integer constants of a package and the defaults of its configuration.
type numbers map[string]constant.Value

func numbersOf(t *testing.T, root, dir string, known map[string]numbers) numbers {
	t.Helper()
	if found := known[dir]; found != nil {
		return found
	}
	found, exprs := numbers{}, map[string]ast.Expr{}
	known[dir] = found
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files: %v", dir, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range defaults.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = constant.MakeFromLiteral(m[2], token.INT, 0)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
					for i, n := range v.Names {
						exprs[n.Name] = v.Values[i]
					}
				}
			}
		}
	}
	var value func(e ast.Expr) constant.Value
	value = func(e ast.Expr) constant.Value {
		switch e := e.(type) {
		case *ast.BasicLit:
			return constant.ToInt(constant.MakeFromLiteral(e.Value, e.Kind, 0))
		case *ast.ParenExpr:
			return value(e.X)
		case *ast.Ident:
			if of := exprs[e.Name]; of != nil {
				return value(of)
			}
		case *ast.SelectorExpr:
			if pkg, ok := e.X.(*ast.Ident); ok && pkg.Name == "notifier" {
				return numbersOf(t, root, "notifier", known)[e.Sel.Name]
			}
		case *ast.BinaryExpr:
			x, y := value(e.X), value(e.Y)
			if x == nil || y == nil || x.Kind() != constant.Int || y.Kind() != constant.Int {
				return nil
			}
			if e.Op == token.SHL {
				by, _ := constant.Uint64Val(y)
				return constant.Shift(x, e.Op, uint(by))
			}
			return constant.BinaryOp(x, e.Op, y)
		}
		return nil
	}
	for name, e := range exprs {
		if v := value(e); v != nil && v.Kind() == constant.Int {
			found[name] = v
		}
	}
	return found
}

// spelt returns the forms in which the document may write a number: with a comma between
// thousands, or in KiB or MiB.
func spelt(n int64) []string {
	plain := strconv.FormatInt(n, 10)
	for i := len(plain) - 3; i > 0; i -= 3 {
		plain = plain[:i] + "," + plain[i:]
	}
	forms := []string{plain}
	if n%(1<<10) == 0 {
		forms = append(forms, fmt.Sprintf("%d KiB", n>>10))
	}
	if n%(1<<20) == 0 {
		forms = append(forms, fmt.Sprintf("%d MiB", n>>20))
	}
	return forms
}

func TestDocumentedLimitsMatchTheCode(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	known, compared := map[string]numbers{}, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 7 {
			continue
		}
		by := heldBy.FindStringSubmatch(strings.TrimSpace(cells[3]))
		if by == nil {
			continue
		}
		dir, ok := limitDirs[by[1]]
		if !ok {
			t.Errorf("%s: add the directory of its package to limitDirs", by[0])
			continue
		}
		v := numbersOf(t, root, dir, known)[by[2]]
		if v == nil {
			t.Errorf("%s: %s is not an integer constant", strings.TrimSpace(cells[1]), by[0])
			continue
		}
		n, _ := constant.Int64Val(v)
		compared++
		said := false
		for _, form := range spelt(n) {
			said = said || regexp.MustCompile(`(^|[^\d,])`+regexp.QuoteMeta(form)+`($|[^\d,]|,[^\d])`).MatchString(cells[4])
		}
		if !said {
			t.Errorf("%s: the document has %s, but %s is %d", strings.TrimSpace(cells[1]), strings.TrimSpace(cells[4]), by[0], n)
		}
	}
	if compared < 30 {
		t.Errorf("only %d bounds were compared: the table is not read as it should be", compared)
	}
}
