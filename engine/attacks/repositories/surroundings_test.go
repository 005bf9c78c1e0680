package repositories_test

import (
	"os"
	"path/filepath"
)

// surroundings are environment variables that lead git elsewhere.
func surroundings() []situation {
	elsewhere := func(variables ...string) func(p *place) {
		return func(p *place) {
			other := p.superproject()
			values := map[string]string{
				"GIT_DIR": filepath.Join(other, ".git"), "GIT_WORK_TREE": other, "GIT_COMMON_DIR": filepath.Join(other, ".git"),
				"GIT_INDEX_FILE": filepath.Join(p.top, "other.index"), "GIT_OBJECT_DIRECTORY": filepath.Join(other, ".git", "objects"),
				"GIT_NAMESPACE": "elsewhere",
			}
			for _, name := range variables {
				p.env = append(p.env, name+"="+values[name])
			}
		}
	}
	return []situation{
		{name: "git-dir", answer: works, says: "GIT_DIR", make: elsewhere("GIT_DIR", "GIT_WORK_TREE"), hold: ignoring},
		{name: "git-index-file", answer: works, make: elsewhere("GIT_INDEX_FILE"), hold: ignoring},
		{name: "git-object-directory", answer: works, says: "GIT_OBJECT_DIRECTORY", make: elsewhere("GIT_OBJECT_DIRECTORY"), hold: ignoring},
		{name: "git-namespace", answer: works, says: "GIT_NAMESPACE", make: elsewhere("GIT_NAMESPACE"), hold: ignoring},
		{name: "git-ceiling-directories", answer: refuses, says: "is in no Git repository", make: func(p *place) {
			p.env = []string{"GIT_CEILING_DIRECTORIES=" + p.ws}
			p.ws = p.in("skills")
		}, hold: func(p *place) {
			p.assent("list").exits(p, 2).says(p, "is in no Git repository")
			p.assent("propose", filepath.Join(p.top, "bowline"), "--agent", "scout").exits(p, 2)
			p.env = nil
			p.assent("list").exits(p, 0)
		}},
		{name: "from-a-hook", answer: works, make: func(p *place) {
			p.script(p.in(".git", "hooks", "post-commit"), "assent status >'"+filepath.Join(p.top, "seen")+"'\n")
		}, hold: func(p *place) {
			p.git("commit", "-q", "--allow-empty", "-m", "x")
			if seen := p.read(filepath.Join(p.top, "seen")); len(seen) == 0 {
				p.Error("assent said nothing inside of a hook")
			}
			p.ok(os.Remove(p.in(".git", "hooks", "post-commit")))
			p.journey()
		}},
	}
}

// ignoring: assent uses the workspace of the folder, and writes nowhere else.
func ignoring(p *place) {
	before := p.plainGit("-C", filepath.Join(p.top, "other"), "rev-parse", "HEAD")
	p.assent("list").exits(p, 0).says(p, "hum")
	id, _ := p.merged("bowline")
	p.assent("audit", "verify").exits(p, 0)
	p.assent("undo", id).exits(p, 0)
	doctor := p.assent("doctor").exits(p, 0)
	for _, s := range surroundings() {
		if s.name == filepath.Base(p.Name()) {
			doctor.says(p, s.says)
		}
	}
	p.env = nil
	p.witness()
	if p.git("-C", filepath.Join(p.top, "other"), "rev-parse", "HEAD") != before || exists(filepath.Join(p.top, "other.index")) {
		p.Error("something was written elsewhere")
	}
}
