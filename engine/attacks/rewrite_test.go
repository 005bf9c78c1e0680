package attacks_test

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// directive marks a defence in the source: on the line above an if statement, a case of a switch
// without a tag, a call that is a statement, another statement, or a function.
const directive = "//defence:"

// switchPackage is generated beside the rewritten sources and imported by them.
const switchPackage = module + "engine/attacks/defence"

const module = "github.com/assent-dev/assent/"

const switchSource = `// Package defence is generated for one test.
package defence

import (
	"os"
	"slices"
	"strings"
)

var off = strings.Split(os.Getenv("ASSENT_DEFENCES_OFF"), ",")

// Off reports whether a defence is switched off.
func Off(name string) bool { return slices.Contains(off, name) }
`

// mark is one directive.
type mark struct{ name, file string }

// insertion is text that goes into a source at an offset.
type insertion struct {
	at   int
	text string
}

// rewriter makes the defences of one file switchable.
type rewriter struct {
	file  string
	src   []byte
	fset  *token.FileSet
	lines map[int]string // line of the marked code → defence
	// instead maps a defence to the code that an engine without it runs at the marked statement,
	// for statements that cannot simply be left out.
	instead map[string]string
	marks   []mark
	ins     []insertion
	err     error
}

// rewrite returns the source with a switch at each marked defence; nil without any.
func rewrite(file string, src []byte, instead map[string]string) ([]byte, []mark, error) {
	if !bytes.Contains(src, []byte(directive)) {
		return nil, nil, nil
	}
	r := &rewriter{file: file, src: src, fset: token.NewFileSet(), lines: map[int]string{}, instead: instead}
	parsed, err := parser.ParseFile(r.fset, file, src, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			if name, ok := strings.CutPrefix(c.Text, directive); ok {
				r.lines[r.fset.Position(group.End()).Line+1] = name
				r.marks = append(r.marks, mark{name: name, file: file})
			}
		}
	}
	ast.Inspect(parsed, r.visit)
	for line, name := range r.lines {
		return nil, nil, fmt.Errorf("%s:%d: nothing that can be switched off follows defence %s", file, line, name)
	}
	r.insert(parsed.Name.End(), "; import defences "+`"`+switchPackage+`"`)
	return r.done(), r.marks, r.err
}

func (r *rewriter) insert(at token.Pos, text string) {
	r.ins = append(r.ins, insertion{at: r.fset.Position(at).Offset, text: text})
}

func (r *rewriter) done() []byte {
	slices.SortStableFunc(r.ins, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, in := range r.ins {
		out = append(append(out, r.src[last:in.at]...), in.text...)
		last = in.at
	}
	return append(out, r.src[last:]...)
}

// take returns the defence that is marked above a node, once.
func (r *rewriter) take(n ast.Node) (string, bool) {
	line := r.fset.Position(n.Pos()).Line
	name, ok := r.lines[line]
	delete(r.lines, line)
	return name, ok
}

func off(name string) string { return fmt.Sprintf("defences.Off(%q)", name) }

func (r *rewriter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if name, ok := r.take(r.declared(n)); ok {
			r.function(n, name)
		}
	case *ast.CaseClause:
		if name, ok := r.take(n); ok {
			for _, cond := range n.List {
				r.condition(cond, name)
			}
		}
	case *ast.IfStmt:
		if name, ok := r.take(n); ok && r.instead[name] != "" {
			r.statement(n, name)
		} else if ok {
			r.condition(n.Cond, name)
		}
	case ast.Stmt:
		if name, ok := r.take(n); ok {
			r.statement(n, name)
		}
	}
	return true
}

// declared returns the start of a function without its comment.
func (r *rewriter) declared(f *ast.FuncDecl) ast.Node { return f.Name }

// condition skips the refusal.
func (r *rewriter) condition(cond ast.Expr, name string) {
	r.insert(cond.Pos(), "!"+off(name)+" && (")
	r.insert(cond.End(), ")")
}

// statement leaves a statement out, or runs other code first.
func (r *rewriter) statement(s ast.Stmt, name string) {
	if code, ok := r.instead[name]; ok {
		r.insert(s.Pos(), "if "+off(name)+" { "+code+" }; ")
		return
	}
	r.insert(s.Pos(), "if !"+off(name)+" { ")
	r.insert(s.End(), " }")
}

// function returns its first parameter if that has the type of its only result, and otherwise zero
// values.
func (r *rewriter) function(f *ast.FuncDecl, name string) {
	var results []string
	if f.Type.Results != nil {
		for _, field := range f.Type.Results.List {
			for range max(1, len(field.Names)) {
				results = append(results, r.text(field.Type))
			}
		}
	}
	if params := f.Type.Params.List; len(results) == 1 && len(params) > 0 && len(params[0].Names) > 0 && r.text(params[0].Type) == results[0] {
		r.insert(f.Body.Lbrace+1, " if "+off(name)+" { return "+params[0].Names[0].Name+" };")
		return
	}
	var zeros, values []string
	for i, t := range results {
		zeros = append(zeros, fmt.Sprintf("var zero%d %s;", i, t))
		values = append(values, fmt.Sprintf("zero%d", i))
	}
	r.insert(f.Body.Lbrace+1, " if "+off(name)+" { "+strings.Join(zeros, " ")+" return "+strings.Join(values, ", ")+" };")
}

func (r *rewriter) text(n ast.Node) string {
	return string(r.src[r.fset.Position(n.Pos()).Offset:r.fset.Position(n.End()).Offset])
}
