package attacks_test

import (
	"context"
	"io/fs"
	"maps"
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

// besideEvent would be a file below the file of the event, which takes its place without a word.
const besideEvent = ".event.json/x"

// hostileNames are names of files that some system or program cannot write or reads as something else, and whether
// a script sees a file of that name: only if every system and shell takes it as that very name.
func hostileNames() map[string]bool {
	out := map[string]bool{
		"Makefile": true, "makefile": true, "MAKEFILE": true, "tools/Makefile": true, "tools/makefile": true, "tools/MAKEFILE": true,
		"Ｓkills/x": true, ".EVENT.JSON": true,
	}
	left := []string{
		strings.Repeat("n", 256), strings.Repeat("é", 128), strings.Repeat("d/", 130) + "f", "a\\b", "..\\..\\x", "C:\\x", "C:x", "con", "NUL", "aux.txt", "COM1", "lpt9.log", "git~1", ".git./config",
		" x", "x ", "x.", "\xff", "a\xc3", "e\u0301", "\u202ex", "\u200bx", "x\u2028", "a<b", "a>b", `a"b`, "a|b", "a?b", "a*b", "-rf", "~root", "%2e%2e/x", besideEvent, "...", "a/.../b",
	}
	for _, at := range []string{"", "tools/"} {
		for r := range rune(0x1f) {
			left = append(left, at+"a"+string(r+1)+"b")
		}
		left = append(left, at+"a\x7fb", at+"a\u0085b")
	}
	for _, name := range left {
		out[name] = false
	}
	return out
}

// Files that no one approves keep no script from running, whatever they are called and however many there are. Those that it does
// not see are named.
func TestAttackNamesOfFiles(t *testing.T) {
	flow := "name: braid\non: {command: braid}\njobs:\n  give: {run: \"cat deploy.sh\"}\n"
	goes := func(d *world, at tree.Hash) (seen []string, stderr string) {
		d.Helper()
		d.Sandbox = func(context.Context) (sandbox.Runner, error) { return looking{seen: &seen}, nil }
		out, err := task.Advance(d.Context(), d.Workspace, d.forgedRun(at, flow))
		if err != nil || out.Outcome != run.Completed || !slices.Contains(seen, "skills/bowline/SKILL.md") {
			d.succeeds("a file holds the script up: %s %q, waits for %q: %v", out.Outcome, out.Reason, out.Waits, err)
			return nil, ""
		}
		return seen, out.Jobs["give"].Output.Stderr
	}
	attack(t, "hostile names", func(d *world) {
		if n := len(hostileNames()); n < 100 {
			d.Fatalf("only %d names", n)
		}
		d.merged(file("workflows/braid.yaml", flow))
		seen, said := goes(d, d.named("100644", d.object("blob", []byte("exit 0\n")), slices.Sorted(maps.Keys(hostileNames()))...))
		left := 0
		for name, laid := range hostileNames() {
			if slices.Contains(seen, name) != laid {
				d.Errorf("%q: want it to be laid out: %v", name, laid)
			}
			if !laid && name != besideEvent {
				left++
			}
		}
		if !strings.Contains(said, strconv.Itoa(left)+" files or folders") {
			d.Errorf("%d names are left out, but the script is told %q", left, said)
		}
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
		if _, said := goes(d, d.named("40000", folder, "vast")); !strings.Contains(said, "vast") {
			d.Errorf("the folder is not named: %q", said)
		}
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
