package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// figures are the counts of one tree. Tests, fixtures and folders whose names begin with a
// dot are left out.
type figures struct {
	Label string `json:"label"`
	// Rooms are the folders below engine/, and what else has packages at the top.
	Rooms []room `json:"rooms"`
	// Types have methods of their own, most first.
	Types []methods `json:"types"`
	// Copies are groups of structs that hold the same fact, largest first.
	Copies [][]string `json:"copies"`
}

// room is a folder with its packages and its lines, blank ones and comments included.
type room struct {
	Name     string `json:"name"`
	Packages int    `json:"packages"`
	Lines    int    `json:"lines"`
	Tests    int    `json:"lines_of_tests"`
}

type methods struct {
	Type string `json:"type"`
	Own  int    `json:"methods"`
}

// counter gathers the figures of a tree.
type counter struct {
	rooms    map[string]*room
	packages map[string]bool
	methods  map[string]int
	structs  map[string][]string // exported fields, sorted
}

// count reads all Go files of a tree.
func count(tree fs.FS) (figures, error) {
	c := counter{map[string]*room{}, map[string]bool{}, map[string]int{}, map[string][]string{}}
	err := fs.WalkDir(tree, ".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && file != "." && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case e.IsDir() || path.Ext(file) != ".go":
			return nil
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		return c.file(file, text)
	})
	if err != nil {
		return figures{}, err
	}
	var f figures
	for name, r := range c.rooms {
		r.Name = name
		f.Rooms = append(f.Rooms, *r)
	}
	slices.SortFunc(f.Rooms, func(a, b room) int { return cmp.Compare(a.Name, b.Name) })
	for name, n := range c.methods {
		f.Types = append(f.Types, methods{name, n})
	}
	slices.SortFunc(f.Types, func(a, b methods) int { return cmp.Or(cmp.Compare(b.Own, a.Own), cmp.Compare(a.Type, b.Type)) })
	f.Copies = copies(c.structs)
	return f, nil
}

// roomOf is the room of a folder: "gate" for engine/gate/policy, "cmd" for cmd/assent.
func roomOf(dir string) string {
	top, rest, below := strings.Cut(dir, "/")
	if top == "engine" && below {
		top, _, _ = strings.Cut(rest, "/")
	}
	return top
}

func (c *counter) file(name string, text []byte) error {
	dir := path.Dir(name)
	r := c.rooms[roomOf(dir)]
	if r == nil {
		r = &room{}
		c.rooms[roomOf(dir)] = r
	}
	lines := strings.Count(string(text), "\n")
	if strings.HasSuffix(name, "_test.go") {
		r.Tests += lines
		return nil
	}
	r.Lines += lines
	if !c.packages[dir] {
		c.packages[dir] = true
		r.Packages++
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range parsed.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				c.methods[dir+"."+receiver(d.Recv.List[0].Type)]++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					if s, ok := t.Type.(*ast.StructType); ok {
						c.structs[dir+"."+t.Name.Name] = exported(s)
					}
				}
			}
		}
	}
	return nil
}

// receiver is the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// exported are the names of a struct's exported fields, sorted.
func exported(s *ast.StructType) []string {
	var out []string
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.IsExported() {
				out = append(out, n.Name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Structs hold the same fact when they have at least leastShared exported fields of the same
// names, and those are at least half of the fields of each.
const leastShared = 5

// copies groups structs that hold the same fact, directly or by way of a third one.
func copies(structs map[string][]string) [][]string {
	var names []string
	for name, fields := range structs {
		if len(fields) >= leastShared {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	group := make([]int, len(names))
	for i := range group {
		group[i] = i
	}
	for i, a := range names {
		for j, b := range names[:i] {
			if n := shared(structs[a], structs[b]); n >= leastShared && 2*n >= max(len(structs[a]), len(structs[b])) {
				from, to := group[i], group[j]
				for k := range group {
					if group[k] == from {
						group[k] = to
					}
				}
			}
		}
	}
	members := map[int][]string{}
	for i, name := range names {
		members[group[i]] = append(members[group[i]], name)
	}
	var out [][]string
	for _, m := range members {
		if len(m) > 1 {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b []string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0])) })
	return out
}

// shared is how many names stand in both of two lists.
func shared(a, b []string) int {
	n := 0
	for _, name := range a {
		if slices.Contains(b, name) {
			n++
		}
	}
	return n
}
