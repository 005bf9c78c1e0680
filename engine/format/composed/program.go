package composed

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/assent-dev/assent/engine/base/diag"
)

// MaxSource is the largest program, in bytes. The library parses nested brackets by
// recursion, so the limit keeps its stack small.
const MaxSource = 64 << 10

// Program is a parsed and compiled composed tool.
type Program struct {
	compiled *starlark.Program
	calls    []Call
}

// Call is a place where a program calls a tool.
type Call struct {
	// Name is the tool as spelled in the program, such as parse_csv.
	Name string
	Pos  diag.Pos
}

// Calls returns the program's calls of tools, in the order of its text.
func (p *Program) Calls() []Call { return slices.Clone(p.calls) }

// Parse reads a program. file is its path for diagnostics. It returns a Program only
// without errors; other diagnostics are notes.
func Parse(file string, src []byte) (*Program, diag.List) {
	var out diag.List
	if len(src) > MaxSource {
		out.Errorf(RuleSyntax, diag.Pos{File: file}, "split it into several tools", "the program has %d bytes, more than %d", len(src), MaxSource)
		return nil, out
	}
	options := &syntax.FileOptions{}
	parsed, err := options.Parse(file, src, 0)
	if err != nil {
		wrong(&out, file, err)
		return nil, out
	}
	s := shape{out: &out}
	s.file(parsed)
	if out.HasErrors() {
		return nil, out
	}
	wrapped, wrapper := wraps(parsed)
	rewrite(parsed)
	compiled, err := starlark.FileProgram(parsed, predeclared())
	if err != nil {
		wrong(&out, file, err)
		return nil, out
	}
	if wrapper {
		out.Notef(RuleWraps, wrapped.Pos, "call that tool by name instead; a tool of its own is worth it where it does something more, or fits other names to a signature",
			"the program hands its input to %s and answers what that answers, and does nothing else", wrapped)
	}
	return &Program{compiled: compiled, calls: s.calls}, out
}

// predeclared returns a function that reports which names a program has without defining
// them, besides those of the language.
func predeclared() func(string) bool {
	guards := guards()
	return func(name string) bool { return name == toolsName || name == jsonName || guards[name] != nil }
}

// wrong turns the library's errors into diagnostics.
func wrong(out *diag.List, file string, err error) {
	const fix = "see the Starlark specification: a dialect of Python without classes, while, recursion and exceptions"
	var parse syntax.Error
	var several resolve.ErrorList
	switch {
	case errors.As(err, &parse):
		out.Errorf(RuleSyntax, place(parse.Pos), fix, "%s", clip(parse.Msg))
	case errors.As(err, &several):
		for _, e := range several {
			out.Errorf(RuleSyntax, place(e.Pos), fix, "%s", clip(e.Msg))
		}
	default:
		out.Errorf(RuleSyntax, diag.Pos{File: file}, fix, "%s", clip(err.Error()))
	}
}

func place(p syntax.Position) diag.Pos {
	return diag.Pos{File: p.Filename(), Line: int(p.Line), Column: int(p.Col)}
}

// clip shortens untrusted text for a message.
func clip(s string) string {
	const limit = 200
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}

// shape examines the structure of a program before compilation.
type shape struct {
	out   *diag.List
	calls []Call
}

func (s *shape) file(f *syntax.File) {
	hasMain := false
	for _, stmt := range f.Stmts {
		if d, ok := stmt.(*syntax.DefStmt); ok && d.Name.Name == "main" {
			hasMain = true
			if len(d.Params) != 1 || !isIdent(d.Params[0]) {
				s.out.Errorf(RuleMain, place(d.Def), "write def main(input):", "main takes one parameter, the input")
			}
		}
	}
	if !hasMain {
		s.out.Errorf(RuleMain, diag.Pos{File: f.Path}, "write def main(input): with a return", "the program defines no function main")
	}
	called := map[*syntax.Ident]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		s.node(n, called)
		return true
	})
}

func isIdent(e syntax.Expr) bool {
	_, ok := e.(*syntax.Ident)
	return ok
}

// node visits a call before the names in it, so called already holds the permitted uses
// of tools when the names are visited.
func (s *shape) node(n syntax.Node, called map[*syntax.Ident]bool) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		dot, ok := n.Fn.(*syntax.DotExpr)
		if !ok {
			return
		}
		if x, ok := dot.X.(*syntax.Ident); ok && x.Name == toolsName {
			called[x] = true
			s.calls = append(s.calls, Call{Name: dot.Name.Name, Pos: place(dot.Name.NamePos)})
		}
	case *syntax.Ident:
		if n.Name == toolsName && !called[n] {
			s.out.Errorf(RuleTools, place(n.NamePos), "call it as tools.<name>(…); choose among tools with if and else",
				"tools is used other than in a call by name, so what it depends on cannot be read")
		}
	case *syntax.LoadStmt:
		s.out.Errorf(RuleSyntax, place(n.Load), "put all of it into one file, or call another tool", "a composed tool loads no other file")
	}
}

// String returns the call for a message.
func (c Call) String() string { return fmt.Sprintf("tools.%s", c.Name) }
