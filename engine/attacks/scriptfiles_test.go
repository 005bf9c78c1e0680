package attacks_test

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func scriptFileDefences() map[string]defence {
	return map[string]defence{
		"scripts-that-count-see-what-is-governed": {attack: "TestAttackFilesOfScripts/with secrets"},
		"unapproved-files-hold-up-no-script":      {attack: "TestAttackNamesOfFiles/hostile names", with: []string{"unapproved-folders-hold-up-no-script"}},
		"unapproved-folders-hold-up-no-script":    {attack: "TestAttackNamesOfFiles/a vast folder"},
	}
}

// looking runs no program, but looks at the files that it would see.
type looking struct {
	lucky
	seen *[]string
}

func (l looking) Run(_ context.Context, s sandbox.Spec) (sandbox.Result, error) {
	err := fs.WalkDir(os.DirFS(s.Folder), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			*l.seen = append(*l.seen, path)
		}
		return err
	})
	return sandbox.Result{Ended: sandbox.Exited}, err
}

// foreignFiles are files that anyone who can push can put onto main.
func foreignFiles() []tree.Edit {
	out := []tree.Edit{file(`a\b`, "a name that no script can see"), file("Makefile", "all:\n"), file(".bashrc", "exit 0\n")}
	for _, folder := range []string{"", "tools/", "skills.d/", ".skills/", "tools/skills/", "a/workflows/", "policy/", "souls/"} {
		for _, name := range []string{"deploy.sh", "check.sh", "package.json", "skills.sh"} {
			out = append(out, file(folder+name, "exit 0\n"))
		}
	}
	return out
}

// A script with secrets, or of a required check, sees no file that no one approves. None of them holds it up.
func TestAttackFilesOfScripts(t *testing.T) {
	goes := func(d *world, id string) {
		var seen []string
		d.Sandbox = func(context.Context) (sandbox.Runner, error) { return looking{seen: &seen}, nil }
		out, err := task.Advance(d.Context(), d.Workspace, id)
		d.ok(err)
		if out.Outcome != run.Completed || len(seen) == 0 {
			d.succeeds("a file holds the script up: %s %q, waits for %q", out.Outcome, out.Reason, out.Waits)
		}
		for _, path := range seen {
			if !names.Governed(path) && path != ".event.json" { // which the engine writes
				d.succeeds("the script sees %s", path)
			}
		}
	}
	attack(t, "with secrets", func(d *world) {
		flow := strings.Replace(replacedFlow, "echo $TOKEN", "bash ./deploy.sh", 1)
		d.merged(file("workflows/braid.yaml", flow))
		at := d.straight("speed", foreignFiles()...)
		d.Secret = func(workspace.Session, string) (string, bool, error) { return "sesame-opens", true, nil }
		goes(d, d.forgedRun(at, flow))
	})
	attack(t, "of a required check", func(d *world) {
		p := d.checked()
		d.straight("speed", foreignFiles()...)
		d.runner(nil)
		goes(d, d.begun(d.check(p)))
		if d.results(p.ID) != 1 {
			d.Error("the check has no result")
		}
	})
}

// hostileNames are names of files that some system or program cannot write or reads as something else.
func hostileNames() []string {
	out := []string{
		strings.Repeat("n", 256), strings.Repeat("é", 128), strings.Repeat("d/", 130) + "f", "a\\b", "..\\..\\x", "C:\\x", "C:x", "con", "NUL", "aux.txt", "COM1", "lpt9.log", "git~1", ".git./config",
		"-rf", "~root", " x", "x ", "x.", "\xff", "a\xc3", "e\u0301", "\u202ex", "\u200bx", "x\u2028", "a<b", "a>b", `a"b`, "a|b", "a?b", "a*b", "%2e%2e/x", "Ｓkills/x", ".event.json/x", ".EVENT.JSON", "...", "a/.../b",
	}
	for _, at := range []string{"", "tools/"} {
		for r := range rune(0x20) {
			if r > 0 {
				out = append(out, at+"a"+string(r)+"b")
			}
		}
		out = append(out, at+"a\x7fb", at+"a\u0085b", at+"Makefile", at+"makefile", at+"MAKEFILE")
	}
	return out
}

// Files that no one approves keep no script from running, whatever they are called and however many there are. Those that it does
// not see are named.
func TestAttackNamesOfFiles(t *testing.T) {
	flow := "name: braid\non: {command: braid}\njobs:\n  give: {run: \"cat deploy.sh\"}\n"
	goes := func(d *world, at tree.Hash, named string) {
		d.Helper()
		var seen []string
		d.Sandbox = func(context.Context) (sandbox.Runner, error) { return looking{seen: &seen}, nil }
		out, err := task.Advance(d.Context(), d.Workspace, d.forgedRun(at, flow))
		if err != nil || out.Outcome != run.Completed || !slices.Contains(seen, "skills/bowline/SKILL.md") {
			d.succeeds("a file holds the script up: %s %q, waits for %q: %v", out.Outcome, out.Reason, out.Waits, err)
			return
		}
		if said := out.Jobs["give"].Output.Stderr; !strings.Contains(said, named) {
			d.Errorf("%s is not named: %q", named, said)
		}
	}
	attack(t, "hostile names", func(d *world) {
		if n := len(hostileNames()); n < 100 {
			d.Fatalf("only %d names", n)
		}
		d.merged(file("workflows/braid.yaml", flow))
		at := d.named("100644", d.object("blob", []byte("exit 0\n")), hostileNames()...)
		goes(d, at, "left out")
	})
	attack(t, "a vast folder", func(d *world) {
		d.merged(file("workflows/braid.yaml", flow))
		folder, entry := d.object("blob", []byte("x")), "100644"
		for range 6 { // a million files
			var list strings.Builder
			for i := range 10 {
				list.WriteString(entry + " f" + strconv.Itoa(i) + "\x00" + string(d.bytes(folder)))
			}
			folder, entry = d.object("tree", []byte(list.String())), "40000"
		}
		at := d.named("40000", folder, "vast")
		goes(d, at, "vast")
	})
}

// named commits entries past the gate onto main.
func (d *world) named(mode, object string, paths ...string) tree.Hash {
	d.Helper()
	root := d.treeOf(d.main()).String()
	for _, path := range paths {
		root = d.grafted(root, strings.Split(path, "/"), mode, object)
	}
	when := strconv.FormatInt(d.tick().Unix(), 10)
	at := d.parsed(d.object("commit", []byte("tree "+root+"\nparent "+d.main().String()+"\nauthor M <m@example.org> "+when+" +0000\ncommitter M <m@example.org> "+when+" +0000\n\nspeed\n")))
	d.put(attest.MainRef, at)
	return at
}
