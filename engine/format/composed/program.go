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

// MaxSource is the largest program, in bytes. The library reads nested brackets by
// recursion, and this keeps its stack small.
const MaxSource = 64 << 10

// Program is a composed tool, read and compiled.
type Program struct {
	compiled *starlark.Program
	calls    []Call
}

// Call is a place where a program calls a tool.
type Call struct {
	// Name is the tool as the program spells it, such as parse_csv.
	Name string
	Pos  diag.Pos
}

// Calls returns where the program calls tools, in the order of its text.
func (p *Program) Calls() []Call { return slices.Clone(p.calls) }

// Parse reads a program. file is its path, for the diagnostics; there is a Program
// only where they hold no error. What a Program has beside are notes.
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

// predeclared says which names a program has without defining them, beside those of
// the language.
func predeclared() func(string) bool {
	guards := guards()
	return func(name string) bool { return name == toolsName || name == jsonName || guards[name] != nil }
}

// wrong makes diagnostics of the library's errors.
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

// shape looks at what a program is made of, before it is compiled.
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

// node meets a call before the names in it, so that called holds the uses of tools
// that are fine when the names are met.
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

// String names a call for a message.
func (c Call) String() string { return fmt.Sprintf("tools.%s", c.Name) }
