package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/cli"
)

// TestPrintedCommandsAreQuoted: a text that holds a command for people to type quotes what it puts into it. A name
// of others could otherwise end the command and begin another one.
func TestPrintedCommandsAreQuoted(t *testing.T) {
	p := newPrinted(t)
	found := 0
	for _, file := range p.files {
		for _, word := range p.words(file) {
			found++
			if at := p.fset.Position(word.Pos()); !p.quoted(file, word) {
				t.Errorf("%s: %s is in a command that people type: names.ShellWord(…)", at, p.text(word))
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d words in commands were found", found)
	}
}

// TestPrintedCommandsAreFound: what TestPrintedCommandsAreQuoted refuses and lets pass.
func TestPrintedCommandsAreFound(t *testing.T) {
	p := newPrinted(t)
	for src, bad := range map[string]bool{
		`"assent show " + id`:                                      true,
		`"look: assent show " + id + " says why"`:                  true,
		`f("assent show %s", id)`:                                  true,
		`f("%s: assent show %s", names.ShellWord(id), id)`:         true,
		`f("assent show %[2]s", names.ShellWord(id), id)`:          true,
		`f("assent show %q", names.ShellWord(id))`:                 true,
		`"git push " + id`:                                         true,
		`"git push --force origin x:" + id`:                        true,
		`"rm " + id`:                                               true,
		`"assent -C " + id + " status"`:                            true,
		"\"`assent show \" + id + \"`\"":                           true,
		`"assent show " + names.ShellWord(id)`:                     false,
		`"assent show " + names.ForShell(id)`:                      false,
		`f("assent show %s", names.ShellWord(id))`:                 false,
		`f("%s is gone: assent show %s", id, names.ShellWord(id))`: false,
		`"assent show ID; " + id + " is gone"`:                     false,
		`"assent shows " + id`:                                     false,
		`"git revert " + h.Short()`:                                true, // a tag of that name would come first
		`"git revert " + names.ShellWord(h.String())`:              false,
		`f("assent log %d", n)`:                                    false,
	} {
		file, err := parser.ParseFile(p.fset, "x.go", "package x\nvar _ = "+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		is := false
		for _, word := range p.words(file) {
			is = is || !p.quoted(file, word)
		}
		if is != bad {
			t.Errorf("%s: refused %v", src, is)
		}
	}
}

// printed finds commands in texts.
type printed struct {
	fset    *token.FileSet
	files   []*ast.File
	command *regexp.Regexp
	// constants are the names of constants, with their package.
	constants map[string]bool
}

// programs begin the other commands that texts tell people to type.
const programs = `git (?:-C|add|branch|cat-file|checkout|clone|commit|commit-tree|config|diff|fetch|init|log|merge|pull|push|reflog|remote|revert|rm|show|stash|switch|symbolic-ref|tag|update-ref)\b|ssh-keygen -|ssh-add |chmod |rm -?\w* ?|mv |cp |unset |export \w+=`

func newPrinted(t *testing.T) printed {
	t.Helper()
	verbs := []string{"-C"}
	for _, c := range cli.Commands() {
		if words := strings.Fields(c.Path); len(words) == 2 {
			verbs = append(verbs, regexp.QuoteMeta(words[1]))
		}
	}
	p := printed{fset: token.NewFileSet(), constants: map[string]bool{}}
	p.command = regexp.MustCompile(`(?:^|[^\w/.-])(?:assent (?:` + strings.Join(verbs, "|") + `)(?:[ =]|$)|` + programs + `)`)
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && (e.Name() == "testdata" || e.Name() == "attacks") || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			if e != nil && e.IsDir() && (e.Name() == "testdata" || e.Name() == "attacks") {
				return fs.SkipDir
			}
			return err
		}
		file, err := parser.ParseFile(p.fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.files = append(p.files, file)
		ast.Inspect(file, func(n ast.Node) bool {
			if d, is := n.(*ast.GenDecl); is && d.Tok == token.CONST {
				for _, s := range d.Specs {
					for _, name := range s.(*ast.ValueSpec).Names {
						p.constants[file.Name.Name+"."+name.Name] = true
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// within reports whether a text ends inside a command.
func (p printed) within(text string) bool {
	all := p.command.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return false
	}
	return !regexp.MustCompile("[;,`)\n\"(]|: |\\. | (?:says|shows|tells|lists|brings|makes|ends|proposes|is|has|on|of)\\b").MatchString(text[all[len(all)-1][1]:])
}

// words are the expressions that a file puts into commands.
func (p printed) words(file *ast.File) (out []ast.Expr) {
	inner := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD && !inner[n] {
				text := ""
				for _, part := range summands(n, inner) {
					if lit, is := literal(part); is {
						text += lit
						continue
					}
					if p.within(text) {
						out = append(out, part)
					}
					text += "x"
				}
			}
		case *ast.CallExpr:
			out = append(out, p.formatted(n)...)
		}
		return true
	})
	return out
}

// summands are the parts of a sum of texts.
func summands(e ast.Expr, inner map[ast.Expr]bool) []ast.Expr {
	if b, is := e.(*ast.BinaryExpr); is && b.Op == token.ADD {
		inner[b] = true
		return append(summands(b.X, inner), summands(b.Y, inner)...)
	}
	if in, is := e.(*ast.ParenExpr); is {
		return summands(in.X, inner)
	}
	return []ast.Expr{e}
}

func literal(e ast.Expr) (string, bool) {
	lit, is := e.(*ast.BasicLit)
	if !is || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

var verb = regexp.MustCompile(`%%|%[+#0-9. -]*(?:\[(\d+)\])?[a-zA-Z]`)

// formatted are the arguments that a format puts into commands.
func (p printed) formatted(call *ast.CallExpr) (out []ast.Expr) {
	for i, arg := range call.Args {
		format := ""
		for _, part := range summands(arg, map[ast.Expr]bool{}) {
			lit, is := literal(part)
			if !is {
				lit = "x"
			}
			format += lit
		}
		next := i + 1
		for _, m := range verb.FindAllStringSubmatchIndex(format, -1) {
			if format[m[0]:m[1]] == "%%" {
				continue
			}
			at := next
			if m[2] >= 0 {
				n, _ := strconv.Atoi(format[m[2]:m[3]])
				at = i + n
			}
			next = at + 1
			if at >= len(call.Args) || !p.within(format[:m[0]]) {
				continue
			}
			switch format[m[1]-1] {
			case 'd', 'x', 't':
			case 'q':
				out = append(out, &ast.BadExpr{From: call.Args[at].Pos(), To: call.Args[at].End()})
			default:
				out = append(out, call.Args[at])
			}
		}
	}
	return out
}

// fewValues are words whose few values the program itself has, by their place.
var fewValues = map[string]string{
	"audit/exchange/obstacle.go: word": "quoted above, where a test switches it off",
	"cli/demo/place.go: value":         "a table of variables",
	"flows/doctor/elsewhere.go: Join":  "names of Git's variables, of a table",
	"git/gitrun/refusal.go: from":      "an option, with quoted if a file follows",
}

// quoted reports whether an expression is one word of a command.
func (p printed) quoted(file *ast.File, e ast.Expr) bool {
	if fewValues[p.place(e)] != "" {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.quoted(file, e.X)
	case *ast.BinaryExpr:
		return p.quoted(file, e.X) && p.quoted(file, e.Y)
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return p.constants[file.Name.Name+"."+e.Name] || p.assigned(file, e)
	case *ast.SelectorExpr:
		of, is := e.X.(*ast.Ident)
		return is && p.constants[of.Name+"."+e.Sel.Name]
	case *ast.CallExpr:
		quoting := []string{"ShellWord", "ForShell", "Callable", "quoted", "Quote"}
		switch f := e.Fun.(type) {
		case *ast.Ident:
			return slices.Contains(quoting, f.Name)
		case *ast.SelectorExpr:
			pack, is := f.X.(*ast.Ident)
			return slices.Contains(quoting, f.Sel.Name) && !(is && pack.Name == "strconv")
		}
	}
	return false
}

// assigned reports whether a variable has a quoted value in the function around it, and no other one.
func (p printed) assigned(file *ast.File, v *ast.Ident) bool {
	is, other := false, false
	for _, d := range file.Decls {
		f, in := d.(*ast.FuncDecl)
		if !in || v.Pos() < f.Pos() || v.Pos() > f.End() {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			set, in := n.(*ast.AssignStmt)
			if !in || len(set.Lhs) != len(set.Rhs) {
				return true
			}
			for i := range set.Lhs {
				if to, in := set.Lhs[i].(*ast.Ident); in && to.Name == v.Name {
					if _, same := set.Rhs[i].(*ast.Ident); !same && p.quoted(file, set.Rhs[i]) {
						is = true
					} else {
						other = true
					}
				}
			}
			return true
		})
	}
	return is && !other
}

// place is the file and the name of an expression.
func (p printed) place(e ast.Expr) string {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.CallExpr:
		if f, is := e.Fun.(*ast.SelectorExpr); is {
			name = f.Sel.Name
		}
	}
	return filepath.ToSlash(p.fset.Position(e.Pos()).Filename) + ": " + name
}

func (p printed) text(e ast.Expr) string {
	return fmt.Sprintf("the %d bytes at column %d", e.End()-e.Pos(), p.fset.Position(e.Pos()).Column)
}
