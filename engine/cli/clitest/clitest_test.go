package clitest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// Some test runs every script.
func TestEveryScriptIsRun(t *testing.T) {
	lost, count := unrun(t, os.DirFS(filepath.Join("..", "..")))
	for _, file := range lost {
		t.Errorf("engine/%s is run by no test: its package has to run its folder with clitest.Params", file)
	}
	if count < 100 {
		t.Errorf("%d scripts are run", count)
	}
}

// The rule can fail.
func TestUnrun(t *testing.T) {
	const runs = "package x_test\nfunc TestScripts(t *testing.T) { testscript.Run(t, clitest.Params(\"script\")) }\n"
	for _, tc := range []struct{ name, test, file, want string }{
		{"run", runs, "cli/testdata/script/a.txtar", ""},
		{"run elsewhere", runs, "cli/more/testdata/script/a.txtar", "cli/more/testdata/script/a.txtar"},
		{"another folder", runs, "cli/testdata/other/a.txtar", "cli/testdata/other/a.txtar"},
		{"a folder deeper", runs, "cli/testdata/script/more/a.txtar", "cli/testdata/script/more/a.txtar"},
		{"mistyped", runs, "cli/testdata/script/a.txtr", "cli/testdata/script/a.txtr"},
		{"said and not done", "package x_test\n// clitest.Params(\"script\")\n", "cli/testdata/script/a.txtar", "cli/testdata/script/a.txtar"},
		{"a fixture", runs, "scan/testdata/url/bad.txtar", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _ := unrun(t, fstest.MapFS{"cli/x_test.go": {Data: []byte(tc.test)}, tc.file: {}})
			if strings.Join(got, " ") != tc.want {
				t.Errorf("lost %q, want %q", got, tc.want)
			}
		})
	}
}

// unrun returns the scripts below cli that no test runs, and how many are run. Every file in a
// folder called script counts as one.
func unrun(t *testing.T, engine fs.FS) (lost []string, run int) {
	t.Helper()
	folders := map[string]bool{} // those that tests run
	var scripts []string
	err := fs.WalkDir(engine, "cli", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.IsDir():
			return err
		case strings.HasSuffix(file, "_test.go"):
			return ran(engine, file, folders)
		case strings.HasSuffix(file, ".txtar") || strings.Contains(file, "/testdata/script/"):
			scripts = append(scripts, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range scripts {
		if folders[path.Dir(file)] && path.Ext(file) == ".txtar" {
			run++
		} else {
			lost = append(lost, file)
		}
	}
	return lost, run
}

// ran notes the folders whose parameters the code in a file asks for.
func ran(engine fs.FS, file string, folders map[string]bool) error {
	text, err := fs.ReadFile(engine, file)
	if err != nil {
		return err
	}
	code, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(code, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		f, isSelector := call.Fun.(*ast.SelectorExpr)
		folder, isLiteral := call.Args[0].(*ast.BasicLit)
		if !isSelector || !isLiteral || f.Sel.Name != "Params" {
			return true
		}
		if pkg, ok := f.X.(*ast.Ident); ok && pkg.Name == "clitest" {
			name, _ := strconv.Unquote(folder.Value)
			folders[path.Join(path.Dir(file), "testdata", name)] = true
		}
		return true
	})
	return nil
}
