package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/assent-dev/assent/"

// early are packages that have to begin before all others: the documentation of heap says why.
var early = []string{"base/heap"}

// starters are the packages that start programs, and which. The git program is started by
// gitrun alone, whose table of variables and settings holds for every run.
var starters = map[string]string{
	"git/gitrun":               "git",
	"cmd/assent-verify/check":  "git and ssh-keygen: it shares nothing with gitrun",
	"home/ask":                 "the user's own command",
	"flows/notify":             "the user's own command",
	"flows/connect":            "gh",
	"cli/demo":                 "what a visitor would type",
	"cli/inforce":              "none; it looks whether one is there",
	"cli/clients":              "none; it looks whether a shell finds assent",
	"sandbox":                  "bwrap and what it isolates",
	"sandbox/cgroup":           "what is isolated",
	"sandbox/stage":            "what is isolated",
	"tools/tool":               "none; it looks whether one is there",
	"tools/script":             "none; it looks whether one is there",
	"forge/gitea/giteatest":    "Gitea, for tests",
	"workspace/trialdb/pgtest": "PostgreSQL, for tests",
	"git/gitstore/storetest":   "git, for tests",
	"cli/clitest":              "programs, for tests",
}

// gitVariables are the packages that name variables of Git, and why. What a run of git sees
// is the table of gitrun; another package must not set or strip a variable for one.
var gitVariables = map[string]string{
	"git/gitrun":              "the table",
	"git/gitstore":            "reads who writes, where to stop looking, and the user's configuration",
	"git/remote":              "leaves a push to git if a variable steers its transport",
	"sandbox/redact":          "hides configuration, which may hold logins, from the user's own commands",
	"flows/connect":           "hands git the login to a service",
	"cli/demo":                "sets up what a visitor would export",
	"cmd/assent-verify/check": "it shares nothing with gitrun",
}

// independent are the folders of the program that checks the engine's work: an error of the
// engine must not be repeated there.
var independent = []string{"cmd/assent-verify"}

// libraries are what independent packages import beside the standard library.
var libraries = []string{"gopkg.in/yaml.v3", "golang.org/x/crypto/ssh"}

// worldly are imports, with all that is below them, that a pure package must not have.
var worldly = []string{
	"os", "net", "syscall", "math/rand", "crypto/rand", "path/filepath", "log", "io/ioutil", "runtime",
	"github.com/go-git", "github.com/google/go-github", "github.com/robfig/cron", "github.com/prometheus",
}

// harmless are below what is worldly and only parse values.
var harmless = []string{"net/netip", "net/url"}

// source is one Go package of the repository, without its tests.
type source struct {
	dir   string // from the top of the repository
	fset  *token.FileSet
	files map[string]*ast.File
}

// TestArchitecture holds the code against the rings of ARCHITECTURE.md.
func TestArchitecture(t *testing.T) {
	packages, err := readSources(os.DirFS(".."), "engine", "cmd", "internal")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, p := range packages {
		found = append(found, p.name())
		for _, fault := range p.faults() {
			t.Error(fault)
		}
	}
	for _, at := range order {
		for _, name := range named(at) {
			// Packages of tests alone have no sources that are read here.
			if !slices.Contains(found, name) && at != tests {
				t.Errorf("engine/%s has a ring and is not there", name)
			}
		}
	}
}

// maxIndependent bounds the lines of code of assent-verify, without blank lines and comments,
// so that one person can read all of it in an evening.
const maxIndependent = 1000

// TestIndependentIsSmall keeps assent-verify small.
func TestIndependentIsSmall(t *testing.T) {
	n := 0
	for _, pattern := range []string{"../cmd/assent-verify/*.go", "../cmd/assent-verify/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") && !strings.HasSuffix(file, "_test.go") {
					n++
				}
			}
		}
	}
	if n == 0 || n > maxIndependent {
		t.Errorf("assent-verify has %d lines of code, at most %d", n, maxIndependent)
	}
}

// readSources parses what is below the given folders, leaving out tests and
// fixtures. Folders that do not exist are empty.
func readSources(root fs.FS, below ...string) ([]*source, error) {
	found := map[string]*source{}
	for _, top := range below {
		err := fs.WalkDir(root, top, func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil && file == top:
				return nil
			case err != nil:
				return err
			case e.IsDir() && e.Name() == "testdata":
				return fs.SkipDir
			case e.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
				return nil
			}
			dir := path.Dir(file)
			p := found[dir]
			if p == nil {
				p = &source{dir: dir, fset: token.NewFileSet(), files: map[string]*ast.File{}}
				found[dir] = p
			}
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return err
			}
			p.files[file], err = parser.ParseFile(p.fset, file, text, parser.ParseComments)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var out []*source
	for _, dir := range slices.Sorted(keysOf(found)) {
		out = append(out, found[dir])
	}
	return out, nil
}

func keysOf[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func (p *source) name() string { return strings.TrimPrefix(p.dir, "engine/") }

// faults lists what is wrong with a package, each with its place.
func (p *source) faults() []string {
	var out []string
	report := func(at token.Pos, format string, args ...any) {
		out = append(out, fmt.Sprintf("%s: %s", p.fset.Position(at), fmt.Sprintf(format, args...)))
	}
	documented := false
	methods := map[string]int{}
	for _, name := range slices.Sorted(keysOf(p.files)) {
		file := p.files[name]
		documented = documented || file.Doc.Text() != ""
		p.imports(file, report)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				of := receiver(f.Recv.List[0].Type)
				if methods[of]++; methods[of] == maxMethods+1 {
					report(f.Pos(), "%s has more than %d methods: part it by its tasks", of, maxMethods)
				}
			}
		}
		p.declarations(file, report)
		p.starts(file, report)
		p.parameters(file, report)
		p.forges(file, report)
		p.variables(file, report)
		if ringOf(p.name()) == pure {
			clock(file, report)
		}
	}
	if !documented {
		out = append(out, p.dir+": no file has a package comment")
	}
	return out
}

// maxMethods bounds the methods of a type: with more, it is several things.
const maxMethods = 25

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

type reporter func(at token.Pos, format string, args ...any)

// headings are the packages of the help's headings. What two of them need is in cli/console or
// cli/output.
var headings = []string{"cli/begin", "cli/inforce", "cli/judging", "cli/proposals", "cli/runs", "cli/transfer", "cli/you"}

// imports checks the rooms and the rings.
func (p *source) imports(file *ast.File, report reporter) {
	own, inside := ringOf(p.name()), below(p.dir, []string{"engine"})
	if inside && own == "" {
		report(file.Package, "%s stands in no room: rooms_test.go lists all packages", p.dir)
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			report(spec.Pos(), "import %s: %v", spec.Path.Value, err)
			continue
		}
		engine, ours := strings.CutPrefix(imported, module+"engine/")
		other := ringOf(engine)
		from, _, _ := strings.Cut(p.name(), "/")
		to, _, _ := strings.Cut(engine, "/")
		switch {
		case below(p.dir, independent) && strings.Contains(imported, ".") && !slices.Contains(libraries, imported) && !below(imported, []string{module + "cmd/assent-verify"}):
			report(spec.Pos(), "assent-verify shares no code with the engine and imports %s", imported)
		case strings.HasPrefix(imported, module+"bench/"):
			report(spec.Pos(), "%s is for tests", strings.TrimPrefix(imported, module))
		case own == pure && below(imported, worldly) && !slices.Contains(harmless, imported):
			report(spec.Pos(), "a pure package imports %s: let it come in as a value", imported)
		case !ours || own == tests:
		case other == tests:
			report(spec.Pos(), "%s is for tests", engine)
		case engine == "cli" && !below(p.dir, []string{"cmd"}):
			report(spec.Pos(), "only cmd imports engine/cli")
		case p.name() != "cli" && slices.Contains(headings, engine):
			report(spec.Pos(), "%s knows another heading of the help: what both need is in cli/console or cli/output", p.name())
		case inside && slices.Index(order, other) > slices.Index(order, own):
			report(spec.Pos(), "%s is %s and imports %s, which is %s", p.name(), own, engine, other)
		case inside && !mayKnow(from, to):
			report(spec.Pos(), "%s does not know the room %s: it imports %s", from, to, engine)
		case own == effects && other == effects && !slices.Contains(strings.Fields(made[p.name()]), engine):
			report(spec.Pos(), "effects know nothing of each other: %s imports %s", p.name(), engine)
		}
	}
}

// variables refuses naming a variable of Git elsewhere than in the packages that may.
func (p *source) variables(file *ast.File, report reporter) {
	if _, may := gitVariables[p.name()]; may || ringOf(p.name()) == tests {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.HasPrefix(strings.Trim(lit.Value, "\"`"), "GIT_") {
			report(lit.Pos(), "%s names a variable of Git: gitrun decides what git sees", p.name())
		}
		return true
	})
}

// starts refuses starting a program elsewhere than in the packages that may.
func (p *source) starts(file *ast.File, report reporter) {
	_, may := starters[p.name()]
	forTest := ringOf(p.name()) == tests
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch types(n.Fun) {
			case "exec.Command", "exec.CommandContext", "exec.LookPath", "os.StartProcess", "syscall.ForkExec", "syscall.Exec", "syscall.StartProcess":
			default:
				return true
			}
			if !may {
				report(n.Pos(), "%s starts a program: git is started by gitrun, and a new program needs a line in starters", p.name())
			}
			for _, arg := range n.Args {
				if lit, ok := arg.(*ast.BasicLit); ok && lit.Value == `"git"` && p.name() != "git/gitrun" && !forTest && !below(p.dir, independent) {
					report(n.Pos(), "%s starts git: only gitrun does", p.name())
				}
			}
		case *ast.CompositeLit:
			if types(n.Type) == "exec.Cmd" && !may {
				report(n.Pos(), "%s starts a program: git is started by gitrun, and a new program needs a line in starters", p.name())
			}
		}
		return true
	})
}

// parameters refuses parameters that no signature shows: values of a context, and variables
// of the environment that a program sets for itself.
func (p *source) parameters(file *ast.File, report reporter) {
	if ringOf(p.name()) == tests {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			for _, arg := range append([]ast.Expr{call.Fun}, call.Args...) {
				switch name := types(arg); name {
				case "context.WithValue", "os.Setenv", "os.Unsetenv":
					report(arg.Pos(), "%s hides a parameter: hand it on", name)
				}
			}
		}
		return true
	})
}

// choosers are the packages that may know which forge it is: those that are one, and the one
// that chooses.
var choosers = []string{"engine/forge", "engine/flows/connect"}

// forges refuses questions for the kind of a forge or service: forge.Traits has the properties
// in which they differ.
func (p *source) forges(file *ast.File, report reporter) {
	if ringOf(p.name()) == tests || below(p.dir, choosers) || !below(p.dir, []string{"engine"}) {
		return
	}
	isForge := func(e ast.Expr) bool {
		if sel, ok := e.(*ast.SelectorExpr); ok && sel.Sel.Name == "Forge" {
			return true
		}
		switch types(e) {
		case "connect.Local", "connect.GitHub", "connect.Gitea":
			return true
		}
		lit, ok := e.(*ast.BasicLit)
		return ok && (lit.Value == `"github"` || lit.Value == `"gitea"`)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		asks := false
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			asks = isForge(n.X) || strings.HasPrefix(types(n.Type), "forge.") || strings.HasPrefix(types(n.Type), "hosted.")
			if star, ok := n.Type.(*ast.StarExpr); ok {
				from, _, _ := strings.Cut(types(star.X), ".")
				asks = asks || slices.Contains([]string{"local", "hosted", "hub", "github", "gitea"}, from) && strings.HasSuffix(types(star.X), "Forge")
			}
		case *ast.BinaryExpr:
			empty := func(e ast.Expr) bool { lit, ok := e.(*ast.BasicLit); return ok && lit.Value == `""` }
			asks = (n.Op == token.EQL || n.Op == token.NEQ) && (isForge(n.X) || isForge(n.Y)) && !empty(n.X) && !empty(n.Y)
		case *ast.CaseClause:
			asks = slices.ContainsFunc(n.List, func(e ast.Expr) bool { _, lit := e.(*ast.BasicLit); return !lit && isForge(e) })
		}
		if asks {
			report(n.Pos(), "%s asks which forge it is: forge.Traits states the property", p.name())
		}
		return true
	})
}

func below(imported string, tops []string) bool {
	return slices.ContainsFunc(tops, func(top string) bool {
		return imported == top || strings.HasPrefix(imported, top+"/")
	})
}

// declarations refuses init functions and package-level variables that can change.
func (p *source) declarations(file *ast.File, report reporter) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" && !slices.Contains(early, p.name()) {
				report(d.Pos(), "init runs behind the reader's back: call a function where it is needed")
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				for _, spec := range d.Specs {
					p.variable(d, spec.(*ast.ValueSpec), report)
				}
			}
		}
	}
}

func (p *source) variable(d *ast.GenDecl, v *ast.ValueSpec, report reporter) {
	if embedded(d.Doc) || embedded(v.Doc) {
		return
	}
	for i, name := range v.Names {
		switch {
		case name.Name == "_":
		case types(v.Type) == "sync.Pool": // what it hands out depends on nobody
		case i < len(v.Values) && fixed(v.Values[i]) && !p.changes(name.Name, false):
		case i < len(v.Values) && table(v.Values[i]) && !p.changes(name.Name, true):
		default:
			report(name.Pos(), "%s can change: make it a constant, a function, or part of a value that is handed on", name.Name)
		}
	}
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

// fixed are values that nobody can change once they are made: functions, and what
// these functions or one of the package's own, which is no constructor, give.
func fixed(e ast.Expr) bool {
	if lit, ok := e.(*ast.CompositeLit); ok {
		return types(lit.Type) == "sync.Pool" // what it hands out depends on nobody
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		_, function := e.(*ast.FuncLit)
		return function
	}
	switch types(call.Fun) {
	case "errors.New", "fmt.Errorf", "regexp.MustCompile", "strings.NewReplacer", "template.Must", "sync.OnceValue", "sync.OnceValues":
		return true
	}
	maker, own := call.Fun.(*ast.Ident)
	return own && maker.Name != "new" && maker.Name != "make" && !strings.HasPrefix(maker.Name, "new")
}

// table tells data that are written down.
func table(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		_, conversion := call.Fun.(*ast.ArrayType)
		return conversion
	}
	_, literal := e.(*ast.CompositeLit)
	return literal
}

func types(e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if pkg, ok := sel.X.(*ast.Ident); ok {
		return pkg.Name + "." + sel.Sel.Name
	}
	return ""
}

// changes reports that the package assigns to a variable of its own or to an
// element of it, or, if that matters, takes its address: then it is no table.
func (p *source) changes(name string, address bool) bool {
	found := false
	is := func(e ast.Expr) bool {
		for {
			switch v := e.(type) {
			case *ast.IndexExpr:
				e = v.X
			case *ast.SelectorExpr:
				e = v.X
			case *ast.ParenExpr:
				e = v.X
			case *ast.Ident:
				return v.Name == name && (v.Obj == nil || v.Obj.Kind == ast.Var && packageLevel(v.Obj))
			default:
				return false
			}
		}
	}
	for _, file := range p.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch v := n.(type) {
			case *ast.AssignStmt:
				found = found || v.Tok != token.DEFINE && slices.ContainsFunc(v.Lhs, is)
			case *ast.IncDecStmt:
				found = found || is(v.X)
			case *ast.UnaryExpr:
				found = found || address && v.Op == token.AND && is(v.X)
			case *ast.CallExpr:
				if f, ok := v.Fun.(*ast.Ident); ok && (f.Name == "delete" || f.Name == "clear") && len(v.Args) > 0 {
					found = found || is(v.Args[0])
				}
			}
			return !found
		})
	}
	return found
}

// packageLevel reports that an identifier was declared by a var outside functions.
//
//nolint:staticcheck // what is declared in one file is all that is asked
func packageLevel(o *ast.Object) bool {
	_, ok := o.Decl.(*ast.ValueSpec)
	return ok
}

// clock refuses looking at the time.
func clock(file *ast.File, report reporter) {
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			switch what := types(sel); what {
			case "time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker", "time.Local":
				report(sel.Pos(), "a pure package uses %s: let the time come in as a value", what)
			}
		}
		return true
	})
}

// The rules can fail: each of these packages breaks one.
func TestArchitectureRules(t *testing.T) {
	const head = "// Package x is for this test.\npackage x\n"
	for _, tc := range []struct{ name, dir, code, want string }{
		{"fine", "engine/base/tree", head + "import \"errors\"\nvar ErrX = errors.New(\"x\")\nvar table = []string{\"a\"}\nfunc f() string { return table[0] }", ""},
		{"no comment", "engine/base/tree", "package x\n", "no file has a package comment"},
		{"os", "engine/base/tree", head + `import _ "os"`, "imports os"},
		{"os/exec", "engine/scan", head + `import _ "os/exec"`, "imports os/exec"},
		{"net/http", "engine/gate/policy", head + `import _ "net/http"`, "imports net/http"},
		{"go-git", "engine/gate", head + `import _ "github.com/go-git/go-git/v5/plumbing"`, "imports github.com/go-git"},
		{"cron", "engine/gate/workflow", head + `import _ "github.com/robfig/cron/v3"`, "imports github.com/robfig/cron"},
		{"named like os", "engine/base/tree", head + `import _ "osmosis"`, ""},
		{"an effect", "engine/forge", head + `import _ "` + module + `engine/git/gitstore"`, "forge is pure and imports git/gitstore"},
		{"a use case", "engine/gate", head + `import _ "` + module + `engine/proposals/merge"`, "gate is pure and imports proposals/merge"},
		{"a pure one", "engine/gate", head + `import _ "` + module + `engine/gate/policy"`, ""},
		{"a pair", "engine/git/journal", head + `import _ "` + module + `engine/git/gitstore"`, ""},
		{"not a pair", "engine/home/keys", head + `import _ "` + module + `engine/git/gitstore"`, "does not know the room git"},
		{"the wrong way", "engine/git/gitstore", head + `import _ "` + module + `engine/git/journal"`, "git/gitstore imports git/journal"},
		{"upwards", "engine/forge/local", head + `import _ "` + module + `engine/workspace"`, "forge/local is effects and imports workspace"},
		{"another room", "engine/scan", head + `import _ "` + module + `engine/format/soul"`, "scan does not know the room format"},
		{"no room", "engine/leftovers", head, "stands in no room"},
		{"a renderer that asks the net", "engine/proposals/render", head + `import _ "net/http"`, "imports net/http"},
		{"cli", "engine/flows/serve", head + `import _ "` + module + `engine/cli"`, "only cmd imports"},
		{"one heading of the help by another", "engine/cli/begin", head + `import _ "` + module + `engine/cli/you"`, "knows another heading"},
		{"the headings, by the program", "engine/cli", head + `import _ "` + module + `engine/cli/you"`, ""},
		{"the checker", "cmd/assent-verify/check", head + `import _ "` + module + `engine/base/tree"`, "shares no code with the engine"},
		{"the checker, git", "cmd/assent-verify/check", head + `import _ "github.com/go-git/go-git/v5"`, "shares no code with the engine"},
		{"the checker, itself", "cmd/assent-verify", head + `import _ "` + module + `cmd/assent-verify/check"`, ""},
		{"the checker, YAML", "cmd/assent-verify/check", head + `import _ "gopkg.in/yaml.v3"`, ""},
		{"the checker, SSH", "cmd/assent-verify/check", head + `import _ "golang.org/x/crypto/ssh"`, ""},
		{"the checker, SSH signatures", "cmd/assent-verify/check", head + `import _ "github.com/hiddeco/sshsig"`, "shares no code with the engine"},
		{"cli by cmd", "cmd/assent", head + `import _ "` + module + `engine/cli"`, ""},
		{"tests", "engine/proposals/merge", head + `import _ "` + module + `engine/forge/forgetest"`, "is for tests"},
		{"benchmarks", "engine/proposals/merge", head + `import _ "` + module + `bench/generate"`, "is for tests"},
		{"git", "engine/git/remote", head + "import \"os/exec\"\nfunc f() { exec.Command(\"git\", \"status\") }", "git is started by gitrun"},
		{"git by its path", "engine/cli", head + "import \"os/exec\"\nfunc f(p string) { exec.Command(p) }", "git is started by gitrun"},
		{"git where others may be", "engine/flows/connect", head + "import \"os/exec\"\nfunc f() { exec.LookPath(\"git\") }", "only gitrun does"},
		{"git as a literal", "engine/flows/doctor", head + "import \"os/exec\"\nvar x = 1\nfunc f() { _ = exec.Cmd{} }", "starts a program"},
		{"an environment of its own", "engine/flows/notify", head + "import \"os\"\nfunc f() { os.Unsetenv(\"GIT_DIR\") }", "gitrun decides what git sees"},
		{"a program that may be", "engine/flows/notify", head + "import \"os/exec\"\nfunc f(p string) { exec.Command(p) }", ""},
		{"now", "engine/base/tree", head + "import \"time\"\nvar _ = time.Now", "uses time.Now"},
		{"now, outside", "engine/cli", head + "import \"time\"\nvar _ = time.Now", ""},
		{"a hidden parameter", "engine/forge/github", head + "import \"context\"\nfunc f(c context.Context) { context.WithValue(c, 1, 2) }", "context.WithValue hides"},
		{"the environment as one", "engine/cli", head + "import \"os\"\nfunc f() { os.Setenv(\"A\", \"b\") }", "os.Setenv hides"},
		{"the environment, handed on", "engine/cli", head + "import \"os\"\nfunc g(any) {}\nfunc f() { g(os.Setenv) }", "os.Setenv hides"},
		{"which forge", "engine/cli", head + "func f(w W, r F) bool { return w.Forge != r }", "which forge it is"},
		{"which forge, by type", "engine/flows/reconcile", head + "func f(w W) { _ = w.Forge.(Asker) }", "which forge it is"},
		{"which service", "engine/workspace", head + "func f(a A) bool { return a.Service == \"github\" }", "which forge it is"},
		{"which service, by kind", "engine/cli", head + "func f(s S) bool { return s.Kind == connect.Local }", "which forge it is"},
		{"whether a service vouches", "engine/gate", head + "func f(c C) bool { return c.Forge != \"\" }", ""},
		{"a property of it", "engine/cli", head + "func f(w W) bool { return w.Forge.Traits().Queues }", ""},
		{"the one that chooses", "engine/flows/connect", head + "func f(s S) bool { return s.Kind == \"github\" }", ""},
		{"init", "engine/cli", head + "func init() {}", "init runs"},
		{"init of the heap", "engine/base/heap", head + "func init() {}", ""},
		{"method init", "engine/cli", head + "type t int\nfunc (t) init() {}", ""},
		{"counter", "engine/cli", head + "var n int", "n can change"},
		{"map", "engine/cli", head + "var m = map[string]int{}\nfunc f() { m[\"a\"] = 1 }", "m can change"},
		{"deleted from", "engine/cli", head + "var m = map[string]int{}\nfunc f() { delete(m, \"a\") }", "m can change"},
		{"replaced", "engine/cli", head + "var s = []int{1}\nfunc f() { s = nil }", "s can change"},
		{"counted", "engine/cli", head + "var s = [1]int{1}\nfunc f() { s[0]++ }", "s can change"},
		{"lent", "engine/cli", head + "var s = [1]int{1}\nfunc f() *[1]int { return &s }", "s can change"},
		{"pool", "engine/cli", head + "import \"sync\"\nvar p = sync.Pool{New: func() any { return &p }}\nvar q = &p", "q can change"},
		{"replaced expression", "engine/cli", head + "import \"regexp\"\nvar r = regexp.MustCompile(`x`)\nfunc f() { r = nil }", "r can change"},
		{"empty pool", "engine/cli", head + "import \"sync\"\nvar p sync.Pool\nvar m sync.Mutex", "m can change"},
		{"constructed", "engine/cli", head + "func newCache() *int { return nil }\nvar c = newCache()", "c can change"},
		{"made", "engine/cli", head + "var c = make(chan int)", "c can change"},
		{"made elsewhere", "engine/cli", head + "import \"bytes\"\nvar b = bytes.NewBuffer(nil)", "b can change"},
		{"parsers", "engine/scan", head + "import _ \"net/url\"", ""},
		{"pointer", "engine/cli", head + "type c struct{}\nvar s = &c{}", "s can change"},
		{"shadowed", "engine/cli", head + "var s = []int{1}\nfunc f(s []int) { s[0] = 2 }", ""},
		{"a type of many tasks", "engine/cli", head + "type c struct{}\n" + manyMethods(maxMethods+1), "c has more than 25 methods"},
		{"a type of some tasks", "engine/cli", head + "type c struct{}\n" + manyMethods(maxMethods), ""},
		{"embed", "engine/cli", head + "import _ \"embed\"\n//go:embed x\nvar s string", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			packages, err := readSources(fstest.MapFS{tc.dir + "/x.go": {Data: []byte(tc.code)}}, "engine", "cmd")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(packages[0].faults(), "\n")
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// manyMethods declares n methods of c.
func manyMethods(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func (c) m%d() {}\n", i)
	}
	return b.String()
}
