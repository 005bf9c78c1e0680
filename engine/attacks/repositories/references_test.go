package repositories_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// references are names that lead to commits, in every form that git knows.
func references() []situation {
	return []situation{
		{name: "packed-refs", answer: works, make: func(p *place) { p.git("pack-refs", "--all") }},
		{name: "thousands-of-refs", answer: works, make: func(p *place) {
			tip := p.git("rev-parse", "main")
			var b strings.Builder
			for i := range 5000 {
				fmt.Fprintf(&b, "create refs/tags/v%d %s\n", i, tip)
			}
			p.stdin(strings.NewReader(b.String()), "update-ref", "--stdin")
			p.git("pack-refs", "--all")
		}},
		{name: "reftable", answer: refuses, says: "git refs migrate --ref-format=files", make: func(p *place) {
			p.git("config", "core.repositoryFormatVersion", "1")
			p.git("config", "extensions.refStorage", "reftable")
		}},
		{name: "reftable-by-git", answer: refuses, says: "git refs migrate --ref-format=files", make: func(p *place) {
			if p.run("git", "init", "-q", "--ref-format=reftable", "../tables").code != 0 {
				p.Skipf("this git makes no reftable (%s)", p.git("version"))
			}
			p.ws = filepath.Join(p.top, "tables")
		}},
		{name: "symbolic-main", answer: partly, says: "git symbolic-ref", make: func(p *place) {
			p.git("branch", "-m", "main", "trunk")
			p.git("symbolic-ref", "refs/heads/main", "refs/heads/trunk")
		}, hold: symbolicMain},
		{name: "tag-named-main", answer: works, make: func(p *place) {
			p.git("tag", "main", "main^")
		}},
		{name: "refs-that-differ-by-case", answer: works, make: func(p *place) {
			p.git("branch", "Main")
			p.git("branch", "MAIN", "main^")
			if len(strings.Split(p.git("for-each-ref", "--format=%(refname)", "refs/heads"), "\n")) != 3 {
				p.Skip("the file system ignores case")
			}
		}},
		{name: "broken-ref", answer: works, make: func(p *place) {
			p.write(p.in(".git", "refs", "heads", "empty"), "")
			p.write(p.in(".git", "refs", "tags", "garbage"), "\x00\x01 not a name\n")
		}, hold: func(p *place) {
			p.assent("doctor").exits(p, 1).says(p, "refs/heads/empty is empty")
			p.assent("list").exits(p, 0).says(p, "hum")
			p.merged("bowline")
			p.assent("audit", "verify").exits(p, 0)
		}},
		{name: "broken-journal", answer: partly, says: "cannot be read", make: func(p *place) {
			id := p.propose("bowline")
			p.write(p.in(".git", "refs", "assent", "pulls", id), "")
		}, hold: brokenJournal},
		{name: "broken-main", answer: refuses, code: 4, says: "restore it from its reflog", make: func(p *place) {
			p.write(p.in(".git", "refs", "heads", "main"), "")
		}},
		{name: "damaged-packed-refs", answer: refuses, code: 4, says: "packed-refs line 2", make: func(p *place) {
			p.git("pack-refs", "--all")
			p.write(p.in(".git", "packed-refs"), "# pack-refs with: peeled fully-peeled sorted \nnothing to see\n")
		}},
		{name: "stray-heads", answer: works, make: func(p *place) {
			tip := p.git("rev-parse", "main") + "\n"
			for _, name := range []string{"ORIG_HEAD", "FETCH_HEAD", "BISECT_START", "AUTO_MERGE", "main", "refs/stash"} {
				p.write(p.in(".git", filepath.FromSlash(name)), tip)
			}
		}},
		{name: "detached-head", answer: works, make: func(p *place) { p.git("switch", "-q", "--detach") }},
		{name: "unborn-branch", answer: works, make: func(p *place) {
			p.git("symbolic-ref", "HEAD", "refs/heads/new")
			p.ok(os.Remove(p.in(".git", "index")))
		}},
		{name: "no-main", answer: refuses, says: "git branch main COMMIT", make: func(p *place) {
			p.git("branch", "-m", "main", "trunk")
		}, hold: func(p *place) {
			for _, command := range []string{"list", "status"} {
				p.assent(command).exits(p, 2).says(p, "git branch main COMMIT")
			}
			p.assent("init").exits(p, 3)
		}},
	}
}

// brokenJournal: only one proposal is unreadable, and the message says how to restore it.
func brokenJournal(p *place) {
	p.assent("status").exits(p, 4).says(p, "cannot be read").says(p, "remove the file and fetch the ref")
	p.assent("doctor", "--fix").exits(p, 1).says(p, "git fetch origin")
	p.merged("bowline")
	p.assent("maintenance").exits(p, 4).says(p, "2 closed proposals folded")
	p.git("init", "-q", "--bare", "-b", "main", "../hub.git")
	p.git("remote", "add", "origin", "../hub.git")
	p.assent("push").exits(p, 3).says(p, "pushed main").says(p, "not published: ")
	p.assent("list").exits(p, 0).says(p, "bowline")
	p.assent("audit", "verify").exits(p, 3).says(p, "remove the file and fetch the ref")
}

// symbolicMain: reading works, and a merge is refused before anything is written.
func symbolicMain(p *place) {
	p.assent("list").exits(p, 0).says(p, "hum")
	p.assent("audit", "verify").exits(p, 0)
	id := p.propose("bowline")
	p.assent("review", id, "approve").exits(p, 0)
	main := p.git("rev-parse", "main")
	p.assent("merge", id).exits(p, 3).says(p, "git symbolic-ref")
	if p.git("rev-parse", "main") != main {
		p.Error("main moved")
	}
	p.git("symbolic-ref", "--delete", "refs/heads/main")
	p.git("branch", "-m", "trunk", "main")
	p.assent("merge", id).exits(p, 0).says(p, "it is in force")
}
