package repositories_test

import (
	"os"
	"path/filepath"
	"strings"
)

// settings are situations of Git's configuration and attributes.
func settings() []situation {
	return []situation{
		{name: "ignore-case", answer: works, says: "ignores case", make: func(p *place) { p.git("config", "core.ignoreCase", "true") }},
		{name: "autocrlf-true", answer: works, says: "core.autocrlf", make: func(p *place) {
			p.git("config", "core.autocrlf", "true")
			p.checkoutAnew()
		}, hold: func(p *place) {
			p.journey()
			p.lineEnds("\r\n")
		}},
		{name: "autocrlf-input", answer: works, make: func(p *place) {
			p.git("config", "core.autocrlf", "input")
		}, hold: func(p *place) {
			p.journey()
			p.lineEnds("\n")
		}},
		{name: "eol-crlf", answer: works, make: func(p *place) {
			p.attributes("* text=auto")
			p.git("config", "core.eol", "crlf")
			p.checkoutAnew()
		}, hold: func(p *place) {
			p.journey()
			p.lineEnds("\r\n")
		}},
		{name: "attribute-eol-crlf", answer: works, make: func(p *place) {
			p.attributes("*.md text eol=crlf")
			p.checkoutAnew()
		}, hold: func(p *place) {
			p.journey()
			p.lineEnds("\r\n")
		}},
		{name: "attribute-encoding", answer: works, make: func(p *place) {
			p.attributes("skills/bowline/*.md working-tree-encoding=UTF-16LE")
			p.checkoutAnew()
		}, hold: func(p *place) {
			p.journey()
			if text := p.read(p.in("skills", "bowline", "SKILL.md")); !strings.HasPrefix(text, "-\x00-\x00") {
				p.Errorf("the checkout holds %q", text[:8])
			}
		}},
		{name: "filter", answer: partly, says: "rm FILE", make: func(p *place) {
			p.git("config", "filter.shout.smudge", "tr a-z A-Z")
			p.git("config", "filter.shout.clean", "tr A-Z a-z")
			p.git("config", "filter.shout.required", "true")
			p.attributes("skills/bowline/*.md filter=shout")
		}, hold: func(p *place) {
			p.write(filepath.Join(p.top, "bowline", "SKILL.md"), strings.ToLower(p.read(filepath.Join(p.top, "bowline", "SKILL.md"))))
			id, _ := p.merged("bowline")
			p.witness()
			p.assent("cat", "bowline").exits(p, 0).says(p, "tie it.")
			if !strings.Contains(p.read(p.in("skills", "bowline", "SKILL.md")), "tie it.") {
				p.Error("the checkout is not what the commit holds")
			}
			p.assent("undo", id).exits(p, 0)
		}},
		{name: "filter-that-fails", answer: works, make: func(p *place) {
			p.git("config", "filter.absent.smudge", "false")
			p.git("config", "filter.absent.clean", "cat")
			p.git("config", "filter.absent.required", "true")
			p.attributes("skills/bowline/*.md filter=absent")
		}, hold: func(p *place) {
			p.merged("bowline")
			p.assent("audit", "verify").exits(p, 0)
			p.witness()
		}},
		{name: "file-mode-false", answer: works, make: func(p *place) { p.git("config", "core.fileMode", "false") }},
		{name: "symlinks-false", answer: works, make: func(p *place) { p.git("config", "core.symlinks", "false") }},
		{name: "hooks", answer: works, make: func(p *place) { p.hooks(p.in(".git", "hooks")) }, hold: unhooked},
		{name: "hooks-path", answer: works, make: func(p *place) {
			p.hooks(filepath.Join(p.top, "my hooks"))
			p.git("config", "core.hooksPath", filepath.Join(p.top, "my hooks"))
		}, hold: unhooked},
		{name: "fsmonitor", answer: works, make: func(p *place) {
			p.script(filepath.Join(p.top, "monitor"), "touch '"+filepath.Join(p.top, "ran")+"'\nexit 1\n")
			p.git("config", "core.fsmonitor", filepath.Join(p.top, "monitor"))
			p.git("config", "core.untrackedCache", "true")
		}, hold: func(p *place) {
			p.ok(removeIfThere(filepath.Join(p.top, "ran")))
			p.merged("bowline")
			if exists(filepath.Join(p.top, "ran")) {
				p.Error("the monitor was run")
			}
			p.witness()
		}},
		{name: "worktree-config", answer: works, make: func(p *place) {
			p.git("config", "extensions.worktreeConfig", "true")
			p.git("config", "--worktree", "core.autocrlf", "input")
		}},
		{name: "core-worktree", answer: works, make: func(p *place) {
			p.ok(os.Rename(p.in(".git"), filepath.Join(p.top, "store.git")))
			p.git("--git-dir=../store.git", "config", "core.worktree", "../ws")
			p.write(p.in(".git"), "gitdir: ../store.git\n")
		}},
		{name: "name-in-an-include", answer: works, make: func(p *place) {
			p.write(filepath.Join(p.top, "home", ".gitconfig"), "[include]\n\tpath = who\n")
			p.write(filepath.Join(p.top, "home", "who"), "[user]\n\tname = Bo\n\temail = bo@example.org\n")
		}, hold: func(p *place) { knownAs(p, "bo@example.org") }},
		{name: "name-in-a-conditional-include", answer: works, make: func(p *place) {
			p.write(filepath.Join(p.top, "home", ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n"+
				"[includeIf \"gitdir:**/fresh/.git\"]\n\tpath = who\n")
			p.write(filepath.Join(p.top, "home", "who"), "[user]\n\tname = Bo\n\temail = bo@example.org\n")
		}, hold: func(p *place) { knownAs(p, "bo@example.org") }},
		{name: "no-name", answer: partly, says: "user.email is not set", make: func(p *place) {
			p.write(filepath.Join(p.top, "home", ".gitconfig"), "")
		}, hold: func(p *place) {
			p.assent("doctor").exits(p, 0).says(p, "user.email is not set")
			p.assent("init", "../fresh").exits(p, 2).says(p, "git config --global user.email")
			p.merged("bowline")
		}},
	}
}

func removeIfThere(path string) error {
	err := os.Remove(path)
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// attributes commits a .gitattributes.
func (p *place) attributes(line string) {
	p.Helper()
	p.write(p.in(".gitattributes"), line+"\n")
	p.git("add", ".")
	p.git("commit", "-qm", "Attributes")
}

// checkoutAnew checks all files out again, under the new settings.
func (p *place) checkoutAnew() {
	p.Helper()
	p.git("rm", "-rq", "--cached", ".")
	p.git("reset", "-q", "--hard")
}

// lineEnds checks the line ends in the checkout; the blob in force has LF.
func (p *place) lineEnds(want string) {
	p.Helper()
	text := p.read(p.in("skills", "bowline", "SKILL.md"))
	if first, _, _ := strings.Cut(text, "name:"); first != "---"+want {
		p.Errorf("the checkout begins with %q", first)
	}
	if blob := p.git("cat-file", "blob", "main:skills/bowline/SKILL.md"); strings.Contains(blob, "\r") {
		p.Error("CRLF is in force")
	}
}

// script writes a shell script.
func (p *place) script(path, body string) {
	p.Helper()
	p.notOnWindows()
	p.write(path, "#!/bin/sh\n"+body)
	p.ok(os.Chmod(path, 0o755))
}

// hooks fills a folder with hooks that leave a trace and fail.
func (p *place) hooks(dir string) {
	p.Helper()
	for _, name := range []string{"pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "pre-merge-commit", "post-merge",
		"post-checkout", "reference-transaction", "pre-push", "update", "pre-receive", "post-receive", "post-update", "post-index-change", "pre-auto-gc", "post-rewrite"} {
		p.script(filepath.Join(dir, name), "echo "+name+" >>'"+filepath.Join(p.top, "ran")+"'\nexit 1\n")
	}
}

// unhooked: assent ran no hook, and git still runs them.
func unhooked(p *place) {
	p.assent("doctor").exits(p, 0).says(p, "assent runs none")
	p.assent("list").exits(p, 0)
	id, _ := p.merged("bowline")
	p.assent("undo", id).exits(p, 0)
	p.assent("audit", "verify").exits(p, 0)
	if exists(filepath.Join(p.top, "ran")) {
		p.Errorf("hooks were run: %s", p.read(filepath.Join(p.top, "ran")))
	}
	p.witness()
	if p.run("git", "commit", "--allow-empty", "-m", "x").code == 0 || !exists(filepath.Join(p.top, "ran")) {
		p.Error("git runs no hooks either, so that nothing was tested")
	}
}

// knownAs begins a workspace and checks that its human has the email.
func knownAs(p *place, email string) {
	p.ws = filepath.Join(p.top, "fresh")
	p.ok(os.Mkdir(p.ws, 0o755))
	p.git("init", "-q")
	p.assent("init").exits(p, 0)
	if roles := p.read(p.in("policies", "roles.yaml")); !strings.Contains(roles, email) {
		p.Errorf("roles.yaml does not know %s:\n%s", email, roles)
	}
	p.merged("bowline")
	if author := p.git("log", "-1", "--format=%ae", "main"); author != email {
		p.Errorf("the merge is by %s", author)
	}
}
