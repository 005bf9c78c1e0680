package repositories_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// layouts are the situations of the Git folder and the files.
func layouts() []situation {
	return []situation{
		{name: "plain", answer: works, make: func(*place) {}},
		{name: "cloned", answer: works, make: func(p *place) {
			p.assent("clone", ".", "../clone").exits(p, 0)
			p.ws = filepath.Join(p.top, "clone")
		}},
		{name: "bare", answer: works, make: func(p *place) {
			p.git("clone", "-q", "--mirror", ".", "../bare")
			p.ws = filepath.Join(p.top, "bare")
		}},
		{name: "linked-worktree", answer: works, make: func(p *place) {
			p.git("worktree", "add", "-q", "-b", "side", "../side")
			p.ws = filepath.Join(p.top, "side")
		}, hold: func(p *place) {
			p.journey()
			p.follows(filepath.Join(p.top, "ws"))
		}},
		{name: "main-in-linked-worktree", answer: works, make: func(p *place) {
			p.git("switch", "-q", "-c", "side")
			p.git("worktree", "add", "-q", "../linked", "main")
		}, hold: func(p *place) {
			p.journey()
			p.follows(filepath.Join(p.top, "linked"))
		}},
		{name: "worktree-moved", answer: refuses, says: "git worktree repair", make: func(p *place) {
			p.git("worktree", "add", "-q", "-b", "side", "../side")
			p.ok(os.Rename(p.ws, filepath.Join(p.top, "elsewhere")))
			p.ws = filepath.Join(p.top, "side")
		}},
		{name: "is-a-submodule", answer: works, make: func(p *place) {
			super := p.superproject()
			p.git("-C", super, "submodule", "--quiet", "add", p.ws, "agents")
			p.git("-C", super, "commit", "-qm", "Add the agents")
			p.ws = filepath.Join(super, "agents")
			p.git("fetch", "-q", "origin", "refs/assent/*:refs/assent/*")
		}, hold: func(p *place) {
			p.assent("doctor").exits(p, 0)
			p.journey()
			p.git("-C", "..", "diff", "--name-only", "--", "agents") // the superproject sees a moved submodule
		}},
		{name: "contains-a-submodule", answer: works, make: func(p *place) {
			other := p.superproject()
			p.git("submodule", "--quiet", "add", other, "vendor/other")
			p.git("commit", "-qm", "Add another repository")
		}},
		{name: "nested", answer: works, make: func(p *place) {
			outer := p.superproject()
			p.ok(os.Rename(p.ws, filepath.Join(outer, "deep")))
			p.ws = filepath.Join(outer, "deep")
		}},
		{name: "below-the-top", answer: works, make: func(p *place) { p.ws = p.in("skills") }},
		{name: "shallow", answer: partly, says: "git fetch --unshallow", make: func(p *place) {
			p.merged("bowline")
			p.git("clone", "-q", "--depth=1", "file://"+filepath.ToSlash(p.ws), "../shallow")
			p.ws = filepath.Join(p.top, "shallow")
		}, hold: shallow},
		{name: "shared-objects", answer: works, make: func(p *place) {
			p.git("clone", "-q", "--shared", ".", "../shared")
			p.ws = filepath.Join(p.top, "shared")
			p.git("fetch", "-q", "origin", "refs/assent/*:refs/assent/*")
		}},
		{name: "shared-objects-gone", answer: refuses, code: 4, says: "restore it or clone again without --shared", make: func(p *place) {
			p.git("clone", "-q", "--shared", ".", "../shared")
			p.ok(os.Rename(p.ws, filepath.Join(p.top, "elsewhere")))
			p.ws = filepath.Join(p.top, "shared")
		}},
		{name: "partial-clone", answer: refuses, says: "clone it again without --filter", make: func(p *place) {
			p.git("config", "uploadpack.allowFilter", "true")
			p.git("clone", "-q", "--filter=blob:none", "file://"+filepath.ToSlash(p.ws), "../partial")
			p.ws = filepath.Join(p.top, "partial")
		}},
		{name: "strange-path", answer: works, make: func(p *place) { p.moved("it's a \"place\" $HOME & more") }},
		{name: "path-with-newline", answer: works, make: func(p *place) {
			p.notOnWindows()
			p.moved("two\nlines\t")
		}},
		{name: "path-not-utf-8", answer: works, make: func(p *place) {
			p.notOnWindows()
			p.moved("latin-\xe9")
		}},
		{name: "long-path", answer: works, make: func(p *place) {
			p.notOnWindows()
			p.moved(strings.Repeat("long", 50) + "/" + strings.Repeat("path", 50))
		}},
		{name: "symbolic-link-to-it", answer: works, make: func(p *place) {
			p.notOnWindows()
			p.ok(os.Symlink(p.ws, filepath.Join(p.top, "link")))
			p.ws = filepath.Join(p.top, "link")
		}},
		{name: "separate-git-dir", answer: works, make: func(p *place) {
			p.git("init", "-q", "--separate-git-dir", "../apart.git")
		}},
	}
}

// follows checks that another worktree of main shows the merge and no other change.
func (p *place) follows(worktree string) {
	p.Helper()
	if out := p.git("-C", worktree, "status", "--porcelain"); out != "" || !exists(filepath.Join(worktree, "skills", "bowline", "SKILL.md")) {
		p.Errorf("%s did not follow:\n%s", worktree, out)
	}
}

// superproject makes another repository beside the workspace.
func (p *place) superproject() string {
	p.Helper()
	dir := filepath.Join(p.top, "other")
	p.git("init", "-q", dir)
	p.git("-C", dir, "commit", "-q", "--allow-empty", "-m", "Begin")
	return dir
}

// moved moves the workspace to a folder of that name.
func (p *place) moved(name string) {
	p.Helper()
	to := filepath.Join(p.top, filepath.FromSlash(name), "ws")
	p.ok(os.MkdirAll(filepath.Dir(to), 0o755))
	p.ok(os.Rename(p.ws, to))
	p.ws = to
}

func (p *place) notOnWindows() {
	if runtime.GOOS == "windows" {
		p.Skip("Windows has no such paths")
	}
}

// shallow: without the history the state in force cannot be proved. Every command says so, and
// fetching the rest restores everything.
func shallow(p *place) {
	p.ok(os.RemoveAll(filepath.Join(p.top, "home", "assent"))) // as a newcomer
	before := p.fingerprint()
	for _, command := range [][]string{{"list"}, {"status"}, {"audit", "verify"}, {"propose", "../bowline"}, {"merge", "x"}, {"init"}} {
		p.assent(command...).exits(p, 4).says(p, "git fetch --unshallow")
	}
	p.assent("doctor").exits(p, 1).says(p, "git fetch --unshallow")
	if p.fingerprint() != before {
		p.Error("something was written")
	}
	p.git("fetch", "-q", "--unshallow", "origin", "refs/assent/*:refs/assent/*")
	p.assent("list").exits(p, 0).says(p, "bowline")
	p.assent("audit", "verify").exits(p, 0).says(p, "the record holds")
}
