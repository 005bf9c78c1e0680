package repositories_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// storage is how objects are stored and replaced.
func storage() []situation {
	return []situation{
		{name: "everything-packed", answer: works, make: func(p *place) {
			p.git("-c", "pack.writeReverseIndex=true", "repack", "-qadb", "--write-midx")
			p.git("commit-graph", "write", "--reachable", "--changed-paths")
			p.git("pack-refs", "--all")
			for _, pattern := range []string{"multi-pack-index", "*.bitmap", "*.rev"} {
				if found, _ := filepath.Glob(p.in(".git", "objects", "pack", pattern)); len(found) == 0 {
					p.Fatalf("git made no %s", pattern)
				}
			}
		}},
		{name: "many-packs", answer: works, make: func(p *place) {
			for i := range 30 {
				p.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
				p.git("repack", "-q")
			}
		}},
		{name: "pack-index-version-1", answer: works, make: func(p *place) {
			p.git("-c", "pack.indexVersion=1", "repack", "-qad")
		}},
		{name: "all-objects-loose", answer: works, make: func(p *place) {
			packs, err := filepath.Glob(p.in(".git", "objects", "pack", "*.pack"))
			p.ok(err)
			for _, pack := range packs {
				p.ok(os.Rename(pack, filepath.Join(p.top, filepath.Base(pack))))
				p.ok(os.Remove(strings.TrimSuffix(pack, ".pack") + ".idx"))
				p.git("hash-object", "-t", "tree", os.DevNull)
				unpack(p, filepath.Join(p.top, filepath.Base(pack)))
			}
		}},
		{name: "sha-256", answer: refuses, says: "git init --object-format=sha1", make: func(p *place) {
			p.git("init", "-q", "--object-format=sha256", "../sha256")
			p.ws = filepath.Join(p.top, "sha256")
			p.git("commit", "-q", "--allow-empty", "-m", "Begin")
		}},
		{name: "unknown-format", answer: refuses, says: "update assent", make: func(p *place) {
			p.git("config", "core.repositoryFormatVersion", "2")
		}},
		{name: "unknown-extension", answer: refuses, says: "update assent", make: func(p *place) {
			p.git("config", "core.repositoryFormatVersion", "1")
			p.git("config", "extensions.objectTeleport", "true")
		}},
		{name: "missing-object", answer: partly, says: "git fsck", make: func(p *place) {
			p.git("repack", "-qad")
			blob := p.git("rev-parse", "main:skills/hum/SKILL.md")
			p.lose(blob)
		}, hold: func(p *place) {
			p.assent("list").exits(p, 4).says(p, "git fsck")
			p.assent("doctor").exits(p, 1)
		}},
		{name: "replaced-commit", answer: works, says: "refs/replace", make: replaced, hold: func(p *place) { notFooled(p, "refs/replace") }},
		{name: "grafts", answer: works, says: "info/grafts", make: func(p *place) {
			p.write(p.in(".git", "info", "grafts"), p.git("rev-parse", "main")+"\n")
		}, hold: func(p *place) { notFooled(p, "info/grafts") }},
		{name: "notes", answer: works, make: func(p *place) { p.git("notes", "add", "-m", "A remark", "main") }},
	}
}

func unpack(p *place, pack string) {
	p.Helper()
	f, err := os.Open(pack)
	p.ok(err)
	defer f.Close()
	p.stdin(f, "unpack-objects", "-q")
}

// lose removes one object from the repository, whose objects are in one pack.
func (p *place) lose(name string) {
	p.Helper()
	packs, err := filepath.Glob(p.in(".git", "objects", "pack", "*.pack"))
	p.ok(err)
	for _, pack := range packs {
		away := filepath.Join(p.top, filepath.Base(pack))
		p.ok(os.Rename(pack, away))
		p.ok(os.Remove(strings.TrimSuffix(pack, ".pack") + ".idx"))
		unpack(p, away)
	}
	p.ok(os.Remove(p.in(".git", "objects", name[:2], name[2:])))
}

// replaced replaces main's commit with one that holds an unproposed skill. `git log` and `git
// show` show the replacement.
func replaced(p *place) {
	tip := p.git("rev-parse", "main")
	p.git("switch", "-q", "-c", "evil")
	p.write(p.in("skills", "evil", "SKILL.md"), "---\nname: evil\ndescription: Unties what holds. Use never.\n---\n# Evil\n")
	p.git("add", ".")
	p.git("commit", "-qm", "Sneak it in")
	p.git("replace", tip, "evil")
	p.git("switch", "-qf", "main")
	p.git("branch", "-qD", "evil")
	p.git("cat-file", "-e", "main:skills/evil/SKILL.md") // git is fooled
}

// notFooled: only merged content is in force, and doctor reports that git shows something else.
func notFooled(p *place, by string) {
	before := p.assent("list").exits(p, 0).out
	if strings.Contains(before, "evil") || !strings.Contains(before, "hum") {
		p.Errorf("what is in force:\n%s", before)
	}
	p.assent("audit", "verify").exits(p, 0).says(p, "the record holds")
	p.assent("doctor").exits(p, 0).says(p, by)
	p.merged("bowline")
	if out := p.git("--no-replace-objects", "ls-tree", "--name-only", "main", "skills/"); strings.Contains(out, "evil") {
		p.Error("the replacement went into main")
	}
}
