package index_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/indexfile"
	"github.com/assent-dev/assent/engine/registry/index"
)

// repository is a generated workspace with n capabilities in force.
type repository struct {
	dir    string
	main   tree.Hash
	skills tree.Hash
}

func generatedRepository(b *testing.B, n int) repository {
	b.Helper()
	home := b.TempDir()
	b.Setenv("ASSENT_HOME", home)
	b.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r := repository{dir: b.TempDir()}
	made, err := generate.Options{N: n, Seed: 1}.Workspace(b.Context(), r.dir, home)
	if err != nil {
		b.Fatal(err)
	}
	r.main = made.Genesis
	_, r.skills = r.open(b, r.main)
	return r
}

// open opens the repository again, as a new process would.
func (r repository) open(b *testing.B, commit tree.Hash) (*gitstore.Snapshot, tree.Hash) {
	b.Helper()
	repo, err := gitstore.Open(r.dir)
	if err != nil {
		b.Fatal(err)
	}
	v, err := repo.Snapshot(commit)
	if err != nil {
		b.Fatal(err)
	}
	e, err := v.Lookup(capability.Root)
	if err != nil {
		b.Fatal(err)
	}
	return v, e.Hash
}

func (r repository) git(b *testing.B, stdin string, args ...string) string {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("git %s: %v", args[0], err)
	}
	return string(out)
}

func (r repository) build(b *testing.B) []byte {
	b.Helper()
	v, skills := r.open(b, r.main)
	data, err := index.Build(v, skills, runtime.GOMAXPROCS(0))
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// BenchmarkCold reads, parses and indexes 10 000 capabilities in a freshly opened
// repository; its peer prints their SKILL.md files, whose names it gets.
func BenchmarkCold(b *testing.B) {
	r := generatedRepository(b, 10_000)
	var blobs strings.Builder
	for line := range strings.Lines(r.git(b, "", "ls-tree", "-r", r.main.String(), "skills")) {
		if fields := strings.Fields(line); strings.HasSuffix(fields[3], "/SKILL.md") {
			fmt.Fprintln(&blobs, fields[2])
		}
	}
	b.Run("assent", func(b *testing.B) {
		for b.Loop() {
			r.build(b)
		}
	})
	b.Run("git-cat-file", func(b *testing.B) {
		for b.Loop() {
			r.git(b, blobs.String(), "cat-file", "--batch", "--buffer")
		}
	})
}

// BenchmarkHundredThousand asks an index of 100 000 capabilities. Peers: the cold
// build of the same index for open, git diff-tree for refresh, git grep for find.
func BenchmarkHundredThousand(b *testing.B) {
	r := generatedRepository(b, 100_000)
	kept := indexfile.Folder{Dir: filepath.Join(b.TempDir(), "index")}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			if err := kept.Save(r.skills, r.build(b)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) { // and look one name up
		for b.Loop() {
			x, err := kept.Open(r.skills)
			if err != nil {
				b.Fatal(err)
			}
			if f, err := x.Named(generate.Name(50_000)); err != nil || len(f) != 1 {
				b.Fatal(f, err)
			}
		}
	})
	b.Run("refresh", func(b *testing.B) { refresh(b, r, kept) })
	b.Run("find", func(b *testing.B) { find(b, r, kept) })
}

// refresh brings the index up to date after one merge, and keeps it.
func refresh(b *testing.B, r repository, kept indexfile.Folder) {
	repo, err := gitstore.Open(r.dir)
	if err != nil {
		b.Fatal(err)
	}
	old, err := repo.Commit(r.main)
	if err != nil {
		b.Fatal(err)
	}
	edits := generate.Options{Seed: 1}.Capability(50_001)
	edits[0].Content = append(edits[0].Content, "One sentence more.\n"...)
	if old.Tree, err = repo.WriteTree(old.Tree, edits); err != nil {
		b.Fatal(err)
	}
	old.Parents = []tree.Hash{r.main}
	next, err := repo.WriteCommit(old, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := repo.Update(gitstore.RefUpdate{Name: "refs/heads/next", New: next, Any: true}); err != nil {
		b.Fatal(err)
	}
	b.Run("assent", func(b *testing.B) {
		for b.Loop() {
			below, err := kept.Open(r.skills)
			if err != nil {
				b.Fatal(err)
			}
			before, _ := r.open(b, r.main)
			after, skills := r.open(b, next)
			made, ok, err := index.Refresh(below, before, after, skills, 1)
			if err != nil || !ok {
				b.Fatal(ok, err)
			}
			if err := kept.Save(skills, made); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("git-diff-tree", func(b *testing.B) {
		for b.Loop() {
			r.git(b, "", "diff-tree", "-r", r.main.String(), next.String())
		}
	})
}

func find(b *testing.B, r repository, kept indexfile.Folder) {
	for _, words := range []string{"parse encrypted invoices", "the file"} {
		b.Run("assent/"+words, func(b *testing.B) {
			x, err := kept.Open(r.skills)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if found, err := x.Find(index.Query{Words: words, Limit: 10}); err != nil || len(found) != 10 {
					b.Fatal(len(found), err)
				}
			}
		})
	}
	b.Run("git-grep", func(b *testing.B) {
		for b.Loop() {
			out := r.git(b, "", "grep", "-l", "-w", "--all-match", "-e", "parse", "-e", "encrypted", "-e", "invoices", r.main.String(), "--", "skills/*/SKILL.md")
			if bytes.Count([]byte(out), []byte("\n")) == 0 {
				b.Fatal("nothing found")
			}
		}
	})
}
