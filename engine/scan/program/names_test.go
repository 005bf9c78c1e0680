package program

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestNames: each name of a table has one kind, and a reader asks for each kind.
func TestNames(t *testing.T) {
	var source strings.Builder
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	parsed, err := parser.ParseFile(gotoken.NewFileSet(), "names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		table, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		tables++
		kindOf := map[string]string{}
		for _, e := range table.Elts {
			row := e.(*ast.KeyValueExpr)
			kind, _ := strconv.Unquote(row.Key.(*ast.BasicLit).Value)
			names, _ := strconv.Unquote(row.Value.(*ast.BasicLit).Value)
			if !strings.Contains(source.String(), "\tcase \""+kind+"\":") {
				t.Errorf("no reader asks for %q", kind)
			}
			for _, name := range strings.Fields(names) {
				if old, ok := kindOf[name]; ok {
					t.Errorf("%s is %q and %q", name, old, kind)
				}
				kindOf[name] = kind
			}
		}
		return true
	})
	if tables < 9 {
		t.Errorf("%d tables are found", tables)
	}
}
