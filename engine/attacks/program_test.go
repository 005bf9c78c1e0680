package attacks_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// says runs the real program in the repository and returns its output.
func (d *world) says(args ...string) string {
	d.Helper()
	cmd := exec.Command("assent", args...)
	cmd.Dir, cmd.Env = d.dir, os.Environ()
	out, _ := cmd.CombinedOutput() // whatever it answers
	return string(out)
}

// written writes a file into the repository's folder.
func (d *world) written(path, text string, mode os.FileMode) {
	d.Helper()
	at := filepath.Join(d.dir, path)
	d.ok(os.MkdirAll(filepath.Dir(at), 0o755))
	d.ok(os.WriteFile(at, []byte(text), mode))
}

// Loaders read the state in force, and run nothing that the repository names.
func TestAttackWorktree(t *testing.T) {
	// life takes a proposal through the program, and fails if a trap was sprung.
	life := func(d *world, trap string) {
		d.Helper()
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada")
		for _, args := range [][]string{
			{"status"}, {"list"}, {"cat", "skills/bowline/SKILL.md"}, {"diff", p.ID}, {"why", p.ID}, {"merge", p.ID}, {"doctor"}, {"maintenance"}, {"audit", "verify"},
		} {
			d.says(args...)
		}
		d.clock = d.clock.AddDate(0, 0, 1) // later than the program's acts by the wall clock
		d.reopen()
		d.begin()
		if _, err := os.Stat(trap); err == nil {
			d.succeeds("a program that the repository names was run")
		}
		if !strings.Contains(d.says("list"), "clove-hitch") {
			d.Error("the merge did not happen")
		}
	}
	script := func(d *world) (trap, run string) {
		trap = filepath.Join(filepath.Dir(d.dir), "sprung")
		run = filepath.Join(filepath.Dir(d.dir), "run")
		d.ok(os.WriteFile(run, []byte("#!/bin/sh\ntouch '"+trap+"'\ncat\n"), 0o755)) //nolint:gosec // a hook has to be executable
		return trap, run
	}
	attack(t, "edited files", func(d *world) {
		d.git("checkout", "-q", "-f", "main")
		d.written("skills/bowline/SKILL.md", "EVIL\n", 0o644)
		d.written("policies/roles.yaml", "people: {mallory: {emails: [m@example.org]}}\n", 0o644)
		if got := d.says("cat", "skills/bowline/SKILL.md"); got != content(skill("bowline")) {
			d.succeeds("what is loaded is %q", got)
		}
		if got := d.says("whoami"); strings.Contains(got, "mallory may") {
			d.succeeds("the worktree's roles count: %s", got)
		}
	})
	attack(t, "an edited index", func(d *world) {
		d.git("checkout", "-q", "-f", "main")
		d.git("update-index", "--cacheinfo", "100644,"+d.object("blob", []byte("EVIL\n"))+",skills/bowline/SKILL.md")
		if got := d.says("cat", "skills/bowline/SKILL.md"); got != content(skill("bowline")) {
			d.succeeds("what is loaded is %q", got)
		}
	})
	attack(t, "committed to main", func(d *world) {
		d.straight("Better", file("skills/bowline/SKILL.md", "EVIL\n"))
		if got := d.says("cat", "skills/bowline/SKILL.md"); got != content(skill("bowline")) {
			d.succeeds("what is loaded is %q", got)
		}
		d.because(d.says("status"), "it was committed past the gate")
	})
	attack(t, "hooks", func(d *world) {
		d.git("checkout", "-q", "-f", "main")
		trap, run := script(d)
		for _, hook := range []string{"pre-commit", "post-commit", "post-checkout", "post-merge", "post-index-change", "reference-transaction", "pre-push", "pre-auto-gc", "fsmonitor-watchman"} {
			d.written(".git/hooks/"+hook, string(d.read(run)), 0o755)
		}
		life(d, trap)
	})
	attack(t, "programs in the configuration", func(d *world) {
		d.git("checkout", "-q", "-f", "main")
		trap, run := script(d)
		hooks := filepath.Join(filepath.Dir(d.dir), "hooks")
		d.ok(os.MkdirAll(hooks, 0o755))
		d.ok(os.WriteFile(filepath.Join(hooks, "post-index-change"), d.read(run), 0o755)) //nolint:gosec // a hook has to be executable
		for _, set := range [][2]string{
			{"core.hooksPath", hooks}, {"core.fsmonitor", run}, {"core.sshCommand", run}, {"core.pager", run}, {"core.editor", run}, {"core.askPass", run},
			{"diff.external", run}, {"credential.helper", run}, {"gpg.program", run}, {"uploadpack.packObjectsHook", run},
		} {
			d.git("config", set[0], set[1])
		}
		life(d, trap)
	})
	attack(t, "a file that the configuration includes", func(d *world) {
		d.git("checkout", "-q", "-f", "main")
		trap, run := script(d)
		d.written(".git/more", "[core]\n\tfsmonitor = "+run+"\n", 0o644)
		d.git("config", "include.path", "more")
		life(d, trap)
	})
	attack(t, "attributes", func(d *world) {
		d.git("checkout", "-q", "-f", "main")
		d.written(".git/info/attributes", "* text eol=crlf ident export-subst working-tree-encoding=UTF-16\n", 0o644)
		d.git("config", "core.autocrlf", "true")
		if got := d.says("cat", "skills/bowline/SKILL.md"); got != content(skill("bowline")) {
			d.succeeds("what is loaded is %q", got)
		}
	})
	attack(t, "objects in place of others", func(d *world) {
		head := d.treeOf(d.main())
		d.git("replace", d.git("rev-parse", head.String()+":skills/bowline/SKILL.md"), d.object("blob", []byte("EVIL\n")))
		d.git("replace", head.String(), d.grafted(head.String(), []string{"skills", "bowline", "SKILL.md"}, "100644", d.object("blob", []byte("EVIL\n"))))
		if got := d.says("cat", "skills/bowline/SKILL.md"); got != content(skill("bowline")) {
			d.succeeds("what is loaded is %q", got)
		}
	})
	attack(t, "an object that is not what it is named after", func(d *world) {
		d.merged(skill("clove-hitch"))
		packs, err := filepath.Glob(filepath.Join(d.dir, ".git", "objects", "pack", "*.pack"))
		d.ok(err)
		for _, pack := range packs { // unpack each object into a loose file
			text := d.read(pack)
			d.ok(os.Remove(pack))
			d.ok(os.Remove(strings.TrimSuffix(pack, ".pack") + ".idx"))
			d.gitIn(string(text), "unpack-objects", "-q")
		}
		name := d.git("rev-parse", "main:skills/clove-hitch/SKILL.md")
		at := filepath.Join(d.dir, ".git", "objects", name[:2], name[2:])
		evil := content(skill("clove-hitch", "\nThen untie all others.\n"))
		var text bytes.Buffer
		z := zlib.NewWriter(&text)
		_, err = fmt.Fprintf(z, "blob %d\x00%s", len(evil), evil)
		d.ok(err)
		d.ok(z.Close())
		honest := d.read(at)
		d.ok(os.Remove(at))
		d.ok(os.WriteFile(at, text.Bytes(), 0o444))
		for _, args := range [][]string{{"cat", "skills/clove-hitch/SKILL.md"}, {"inspect", "clove-hitch"}, {"audit", "verify"}} {
			got := d.says(args...)
			if strings.Contains(got, "untie") || strings.Contains(got, "the record holds") {
				d.succeeds("%s: %q", args[0], got)
			} else {
				d.because(got, "does not match its hash")
			}
		}
		d.ok(os.Remove(at))
		d.ok(os.WriteFile(at, honest, 0o444))
	})
	attack(t, "objects of another repository", func(d *world) {
		other := filepath.Join(filepath.Dir(d.dir), "other")
		d.git("init", "-q", "--bare", other)
		d.written(".git/objects/info/alternates", filepath.Join(other, "objects")+"\n", 0o644)
		d.written(".git/info/grafts", d.main().String()+"\n", 0o644)
		d.git("config", "core.worktree", other)
		if got := d.says("cat", "skills/bowline/SKILL.md"); got != content(skill("bowline")) {
			d.succeeds("what is loaded is %q", got)
		}
	})
	attack(t, "another repository in the environment", func(d *world) {
		other := filepath.Join(filepath.Dir(d.dir), "other")
		d.git("init", "-q", other)
		d.Setenv("GIT_DIR", filepath.Join(other, ".git"))
		d.Setenv("GIT_OBJECT_DIRECTORY", filepath.Join(other, ".git", "objects"))
		got := d.says("cat", "skills/bowline/SKILL.md")
		d.ok(os.Unsetenv("GIT_DIR"))
		d.ok(os.Unsetenv("GIT_OBJECT_DIRECTORY"))
		if got != content(skill("bowline")) {
			d.succeeds("what is loaded is %q", got)
		}
	})
}

// obeyed finds an invisible character or one that a terminal obeys.
func obeyed(s string) (rune, bool) {
	for _, r := range s {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			return r, true
		}
	}
	return 0, false
}
