package attacks_test

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func scriptFileDefences() map[string]defence {
	return map[string]defence{
		"scripts-that-count-see-what-is-governed": {attack: "TestAttackFilesOfScripts/with secrets"},
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
			if !names.Governed(path) {
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
