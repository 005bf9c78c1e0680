package workspace_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"testing"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// BenchmarkValidate judges a proposal of one skill in a freshly opened workspace
// with an index; its peer is itself with 100 capabilities in force.
func BenchmarkValidate(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { validateOne(b, n) })
	}
}

func validateOne(b *testing.B, n int) {
	home, dir := b.TempDir(), b.TempDir()
	b.Setenv("ASSENT_HOME", home)
	b.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	made, err := generate.Options{N: n, Seed: 1}.Workspace(b.Context(), dir, home)
	if err != nil {
		b.Fatal(err)
	}
	first, err := made.Repo.Commit(made.Genesis)
	if err != nil {
		b.Fatal(err)
	}
	const id = "tie-a-knot-k3v9q2mt"
	path := generate.Path(0)[:len(generate.Path(0))-len(generate.Name(0))] + "tie-a-knot/SKILL.md"
	proposal := "---\nid: " + id + "\nkind: add\nagent: kublai\ngoal: g\ncapability: tie-a-knot\nfiles: [" + path + "]\n---\n# Why\n\nRopes.\n"
	result, err := made.Repo.WriteTree(first.Tree, []tree.Edit{
		{Path: path, Content: skill("tie-a-knot")[0].Content},
		{Path: "proposals/2026/03/10/" + id + ".md", Content: []byte(proposal)},
	})
	if err == nil {
		err = made.Repo.Sync()
	}
	if err != nil {
		b.Fatal(err)
	}
	once := func() {
		repo, err := gitstore.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		w := workspace.Of(repo, workspace.Surroundings{Now: generate.Began, Random: rand.Reader})
		cur, err := w.Session(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		view, err := cur.See(result)
		if err != nil {
			b.Fatal(err)
		}
		out, err := validate.Run(cur.Input(view, w.Now()))
		if err != nil || !out.Report.Passed {
			b.Fatal(err, out.Report.Diagnostics)
		}
	}
	once() // which makes the index
	for b.Loop() {
		once()
	}
}
