package disktest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sites lists, as file.go:line, where the Go files of dir use a disk: calls of a method of Disk
// on an expression called disk, and of Write and Sync on one called file.
func Sites(dir string) (map[string]Kind, error) {
	sites := map[string]Kind{}
	err := calls(dir, func(at token.Position, on, method string) {
		onDisk := on == "disk" && slices.Contains([]Kind{Open, Mkdir, Rename, Remove, Link, SyncDir}, Kind(method))
		onFile := on == "file" && slices.Contains([]Kind{Write, Sync}, Kind(method))
		if onDisk || onFile {
			sites[filepath.Base(at.Filename)+":"+strconv.Itoa(at.Line)] = Kind(method)
		}
	})
	return sites, err
}

// Direct lists where the Go files of dir, except the named ones, change the file system without
// a disk.
func Direct(dir string, but ...string) ([]string, error) {
	changes := []string{"Create", "CreateTemp", "OpenFile", "WriteFile", "Mkdir", "MkdirAll", "MkdirTemp", "Rename", "Remove",
		"RemoveAll", "Truncate", "Symlink", "Link", "Chmod", "Chtimes"}
	var out []string
	err := calls(dir, func(at token.Position, on, method string) {
		if on == "os" && slices.Contains(changes, method) && !slices.Contains(but, filepath.Base(at.Filename)) {
			out = append(out, fmt.Sprintf("%s:%d: os.%s", filepath.Base(at.Filename), at.Line, method))
		}
	})
	return out, err
}

// calls visits every call of the form [….]on.method(…).
func calls(dir string, visit func(at token.Position, on, method string)) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok {
					visit(set.Position(f.Sel.Pos()), lastName(f.X), f.Sel.Name)
				}
			}
			return true
		})
	}
	return nil
}

func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
