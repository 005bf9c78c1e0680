package repositories_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// journey runs one life of a proposal, each command once, and checks the result with ordinary git.
func (p *place) journey() {
	p.Helper()
	p.assent("doctor").exits(p, 0)
	p.assent("list").exits(p, 0).says(p, "hum")
	p.assent("status").exits(p, 0).says(p, "in force: main at")
	before := p.git("rev-parse", "refs/heads/main")
	id, _ := p.merged("bowline")
	if after := p.git("rev-parse", "refs/heads/main^1"); after != before {
		p.Errorf("the merge is upon %s, not upon %s", after, before)
	}
	p.witness()
	p.assent("list").exits(p, 0).says(p, "bowline")
	p.assent("cat", "bowline").exits(p, 0).says(p, "Tie it.")
	p.assent("audit", "verify").exits(p, 0).says(p, "the record holds")
	p.assent("undo", id).exits(p, 0).says(p, "undo-bowline")
	p.assent("status").exits(p, 0).says(p, "undo-bowline")
}

// witness checks with git that the repository is whole, that main holds the skill, and that a
// checkout of main, if any, shows it and no other change.
func (p *place) witness() {
	p.Helper()
	if out := p.git("fsck", "--strict", "--no-dangling"); strings.Contains(out, "error") {
		p.Errorf("git fsck: %s", out)
	}
	p.git("cat-file", "-e", "refs/heads/main:skills/bowline/SKILL.md")
	if p.git("rev-parse", "--is-bare-repository") == "true" {
		return
	}
	if p.run("git", "symbolic-ref", "HEAD").out != "refs/heads/main\n" {
		return
	}
	if out := p.git("status", "--porcelain"); out != "" {
		p.Errorf("git status after the merge:\n%s", out)
	}
	if !exists(filepath.Join(p.git("rev-parse", "--show-toplevel"), "skills", "bowline", "SKILL.md")) {
		p.Error("the checkout lacks the skill")
	}
}

// refused runs every command and compares the exit code and the sentence. Nothing may have changed
// afterwards.
func (p *place) refused(code int, sentence string) {
	p.Helper()
	before := p.fingerprint()
	for _, command := range [][]string{
		{"list"}, {"status"}, {"cat", "hum"}, {"audit", "verify"},
		{"propose", filepath.Join(p.top, "bowline"), "--agent", "scout"},
		{"review", "hum", "approve"}, {"merge", "hum"}, {"undo", "hum"}, {"init"},
	} {
		r := p.assent(command...)
		if r.code != code || !strings.Contains(r.err, sentence) {
			p.Errorf("assent %s: exit code %d, want %d and %q:\n%s", command[0], r.code, code, sentence, r.all())
		}
	}
	p.assent("doctor").exits(p, 1).says(p, sentence)
	if after := p.fingerprint(); after != before {
		p.Errorf("something was written: %s, now %s", before, after)
	}
}

// fingerprint returns a digest of all names and contents in the workspace.
func (p *place) fingerprint() string {
	p.Helper()
	sum := sha256.New()
	p.ok(filepath.WalkDir(p.ws, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data := []byte("link")
		if d.Type().IsRegular() {
			data, err = os.ReadFile(path)
		}
		fmt.Fprintf(sum, "%s %d\n%s\n", path, len(data), data)
		return err
	}))
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}
