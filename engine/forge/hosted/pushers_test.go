package hosted_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// moved is a service that saw one move of the branch. login is empty if the account hides
// its activity.
type moved struct {
	host.Host
	login string
	to    tree.Hash
}

func (m moved) Pushes(context.Context, string) ([]host.Push, error) {
	return []host.Push{{Login: m.login, New: m.to, At: epoch}}, nil
}

// pageless is a service that shows no pull request for any branch.
type pageless struct{ host.Host }

func (pageless) Find(context.Context, string, string) (host.Request, error) {
	return host.Request{}, host.ErrNoRequest
}

// TestPushers: an account that the service saw pushing is behind the content. That
// includes the token's account, unless the record names the person it pushed for. A move
// by an account that the service does not name counts as an unknown actor's, which
// requires more approvals.
func TestPushers(t *testing.T) {
	w := newWorld(t)
	head := storetest.Commit(t, w.clone, w.tip(w.clone, "refs/heads/main"), 100, storetest.Files("skills/a.md", "a")...)
	between := storetest.Commit(t, w.clone, head, 101, storetest.Files("skills/a.md", "b")...)
	_, err := w.forge(w.clone, "kublai").Open(t.Context(), forge.Opening{ID: "hidden-00000001", Title: "Hidden", Branch: "proposal/hidden-00000001",
		Base: "main", Head: head, Author: w.person("kublai").Actor, At: epoch})
	must(t, err)
	kublai, inner := w.person("kublai").Actor, w.as
	claimed := kublai
	claimed.Login = "somebody-else" // as a writer of the journal claims
	_, err = w.forge(w.clone, "kublai").Open(t.Context(), forge.Opening{ID: "claimed-00000001", Title: "Claimed", Branch: "proposal/claimed-00000001",
		Base: "main", Head: head, Author: claimed, At: epoch})
	must(t, err)
	for _, c := range []struct {
		login string
		to    tree.Hash
		want  []forge.Actor
	}{
		{"jochi", head, []forge.Actor{kublai, {Login: "jochi"}}},
		{"", between, []forge.Actor{kublai, {}}},
		{"", head, []forge.Actor{kublai}},
		{"jochi", between, []forge.Actor{kublai, {Login: "jochi"}}},
		{"kublai", between, []forge.Actor{kublai, {Login: "kublai"}}},
		{"kublai", head, []forge.Actor{kublai}},
	} {
		w.as = func(login string) host.Host { return moved{inner(login), c.login, c.to} }
		a, err := w.forge(w.clone, "kublai").Activity(t.Context(), "hidden-00000001")
		must(t, err)
		var got []forge.Actor
		for _, p := range a.Pushes {
			got = append(got, p.By)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q to %s (-want +got)\n%s", c.login, c.to.Short(), diff)
		}
	}
	// The same holds if the journal names another account, or if no page shows the
	// branch.
	for name, as := range map[string]func(host.Host) host.Host{
		"another account": func(h host.Host) host.Host { return moved{h, "jochi", head} },
		"no page":         func(h host.Host) host.Host { return pageless{moved{h, "jochi", head}} },
	} {
		w.as = func(login string) host.Host { return as(inner(login)) }
		a, err := w.forge(w.clone, "kublai").Activity(t.Context(), "claimed-00000001")
		must(t, err)
		if len(a.Pushes) != 2 || a.Pushes[1].By.Login != "jochi" {
			t.Errorf("%s: pushed by %+v", name, a.Pushes)
		}
	}
}
