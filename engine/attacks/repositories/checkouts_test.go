package repositories_test

import (
	"os"
	"path/filepath"
	"strings"
)

// checkouts are situations of a worktree and its index.
func checkouts() []situation {
	return []situation{
		{name: "sparse-checkout", answer: works, make: func(p *place) {
			p.sparsely("--cone", "policies")
		}, hold: sparse},
		{name: "sparse-index", answer: works, make: func(p *place) {
			p.sparsely("--cone", "--sparse-index", "policies")
		}, hold: sparse},
		{name: "sparse-patterns", answer: works, make: func(p *place) {
			p.sparsely("--no-cone", "/policies/", "/*.md")
		}, hold: sparse},
		{name: "split-index", answer: works, make: func(p *place) { p.git("update-index", "--split-index") }},
		{name: "untracked-cache", answer: works, make: func(p *place) { p.git("update-index", "--force-untracked-cache") }},
		{name: "index-version-4", answer: works, make: func(p *place) { p.git("update-index", "--index-version", "4") }},
		{name: "index-locked", answer: partly, says: "index.lock", make: func(p *place) {
			p.write(p.in(".git", "index.lock"), "")
		}, hold: func(p *place) {
			_, r := p.merged("bowline")
			r.says(p, "index.lock").says(p, "git commit -a there would revert the merge")
			p.assent("doctor").exits(p, 0).says(p, "index.lock")
			p.ok(os.Remove(p.in(".git", "index.lock")))
			p.write(filepath.Join(p.top, "reef", "SKILL.md"), "---\nname: reef\ndescription: Ties a reef knot. Use when it must open again.\n---\n# Reef\n")
			p.merged("reef") // whatever is merged next brings the checkout up to date
			p.witness()
		}},
		{name: "edited-file", answer: partly, says: "stays as you left it", make: func(p *place) {
			p.write(p.in("soul", "scout", "SOUL.md"), "mine\n")
			p.write(p.in("skills", "bowline", "SKILL.md"), "mine too\n")
		}, hold: func(p *place) {
			_, r := p.merged("bowline")
			r.says(p, "skills/bowline/SKILL.md stays as you left it")
			if p.read(p.in("soul", "scout", "SOUL.md")) != "mine\n" || p.read(p.in("skills", "bowline", "SKILL.md")) != "mine too\n" {
				p.Error("an edit was lost")
			}
			p.git("commit", "-qm", "Nothing is staged that takes the merge back", "--allow-empty")
			p.git("cat-file", "-e", "main:skills/bowline/SKILL.md")
			p.git("checkout", "-q", ".")
			p.witness()
		}},
		{name: "merge-in-progress", answer: partly, make: conflicted, hold: func(p *place) {
			if p.run("git", "merge", "other").code == 0 {
				p.Fatal("no conflict")
			}
			duringConflict(p)
			p.git("merge", "--abort")
			p.assent("audit", "verify").exits(p, 0)
		}},
		{name: "rebase-in-progress", answer: works, make: conflicted, hold: func(p *place) {
			p.git("switch", "-q", "other")
			if p.run("git", "rebase", "main").code == 0 {
				p.Fatal("no conflict")
			}
			p.merged("bowline")
			p.git("rebase", "--abort")
			p.git("switch", "-q", "main")
			p.witness()
			p.assent("audit", "verify").exits(p, 0)
		}},
		{name: "bisect-in-progress", answer: works, make: func(p *place) {
			p.git("bisect", "start", "main", "main^")
		}},
	}
}

// sparsely checks out a part of the files. Git keeps files whose times it does not know, and it
// knows those of a copy only after a status.
func (p *place) sparsely(args ...string) {
	p.Helper()
	p.git("status", "--short")
	p.git(append([]string{"sparse-checkout", "set"}, args...)...)
}

// sparse: assent writes only the files in the sparse checkout, and none looks deleted.
func sparse(p *place) {
	p.assent("doctor").exits(p, 0)
	p.assent("list").exits(p, 0).says(p, "hum")
	_, r := p.merged("bowline")
	if strings.Contains(r.all(), "stays as you left it") {
		p.Errorf("a file that is not shown is called deleted:\n%s", r.all())
	}
	for _, hidden := range []string{"skills", "soul", "proposals"} {
		if exists(p.in(hidden)) {
			p.Errorf("%s/ was written, which is outside of the sparse checkout", hidden)
		}
	}
	if out := p.git("status", "--porcelain"); out != "" {
		p.Errorf("git status:\n%s", out)
	}
	p.git("commit", "-q", "--allow-empty", "-am", "Nothing is taken back")
	p.git("cat-file", "-e", "main:skills/bowline/SKILL.md")
	p.git("sparse-checkout", "disable")
	p.witness()
	p.assent("audit", "verify").exits(p, 0)
}

// conflicted makes a branch whose NOTES.md is in conflict with main's.
func conflicted(p *place) {
	p.write(p.in("NOTES.md"), "begin\n")
	p.git("add", ".")
	p.git("commit", "-qm", "Notes")
	p.git("switch", "-q", "-c", "other")
	p.write(p.in("NOTES.md"), "theirs\n")
	p.git("commit", "-qam", "Theirs")
	p.git("switch", "-q", "main")
	p.write(p.in("NOTES.md"), "ours\n")
	p.git("commit", "-qam", "Ours")
}

// duringConflict: a merge by assent leaves the user's own conflict alone.
func duringConflict(p *place) {
	p.merged("bowline")
	if out := p.git("diff", "--name-only", "--diff-filter=U"); out != "NOTES.md" {
		p.Errorf("in conflict is %q", out)
	}
	if !exists(p.in("skills", "bowline", "SKILL.md")) {
		p.Error("the checkout lacks the skill")
	}
}
