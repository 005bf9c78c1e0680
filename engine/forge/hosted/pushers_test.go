package hosted_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/gitstore/storetest"
	"github.com/assent-dev/assent/engine/tree"
)

// hides is a service on which somebody moved the branch who hides what they do.
type hides struct {
	host.Host
	to tree.Hash
}

func (h hides) Pushes(context.Context, string) ([]host.Push, error) {
	return []host.Push{{New: h.to, At: epoch}}, nil
}

// A move that the service cannot ascribe is nobody's, and is not passed over: where
// nobody can tell who pushed, more people have to agree.
func TestNobodysPush(t *testing.T) {
	w := newWorld(t)
	head := storetest.Commit(t, w.clone, w.tip(w.clone, "refs/heads/main"), 100, storetest.Files("skills/a.md", "a")...)
	between := storetest.Commit(t, w.clone, head, 101, storetest.Files("skills/a.md", "b")...)
	_, err := w.forge(w.clone, "kublai").Open(t.Context(), forge.Opening{ID: "hidden-00000001", Title: "Hidden", Branch: "proposal/hidden-00000001",
		Base: "main", Head: head, Author: w.person("kublai").Actor, At: epoch})
	must(t, err)
	for _, c := range []struct {
		to   tree.Hash
		want []forge.Actor
	}{{between, []forge.Actor{w.person("kublai").Actor, {}}}, {head, []forge.Actor{w.person("kublai").Actor}}} {
		inner := w.as
		w.as = func(login string) host.Host { return hides{inner(login), c.to} }
		a, err := w.forge(w.clone, "kublai").Activity(t.Context(), "hidden-00000001")
		must(t, err)
		var got []forge.Actor
		for _, p := range a.Pushes {
			got = append(got, p.By)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.to.Short(), diff)
		}
	}
}
