package gitea_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/gitea/giteatest"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/hosttest"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// TestSettings checks docs/gitea.md against the real server. With the settings it
// recommends, only the engine's account moves main, by a push that needs neither button
// nor approval of the server, and the pull request shows as merged.
func TestSettings(t *testing.T) {
	server := giteatest.Start(t)
	for _, who := range []string{hosttest.Engine, hosttest.Ada, hosttest.Bob} {
		server.User(t, who)
	}
	b := newBench(t, server)
	b.protect(t, "main")
	h := connect(t, b.options(b.token(t, hosttest.Engine)))
	main := b.tip(t, "main")
	head := b.commit(t, "skills/csv.md", "csv", main)
	b.push(t, hosttest.Engine, "proposal/csv", head)
	r, err := h.Create(t.Context(), host.New{Branch: "proposal/csv", Base: "main", Title: "CSV"})
	must(t, err)
	merge := b.commit(t, "proposals/csv.md", "merged", main, head)

	for what, c := range map[string]struct {
		who, spec string
	}{
		"another account":         {hosttest.Ada, merge.String() + ":refs/heads/main"},
		"removing main":           {hosttest.Engine, ":refs/heads/main"},
		"another account, forced": {hosttest.Ada, "+" + merge.String() + ":refs/heads/main"},
	} {
		if out, err := storetest.TryGit(t, b.dir, "push", b.Remote(t, c.who), c.spec); err == nil {
			t.Errorf("%s: main was moved: %s", what, out)
		}
	}
	button := map[string]any{"Do": "merge"}
	if status := b.Server.Status(t, hosttest.Ada, http.MethodPost, b.Path(pull(r.Number, "/merge")), button); status != http.StatusMethodNotAllowed {
		t.Errorf("the button, without check and approval: %d", status)
	}
	if got := b.tip(t, "main"); got != main {
		t.Fatalf("main is at %s", got.Short())
	}

	storetest.Git(t, b.dir, "push", b.Remote(t, hosttest.Engine), merge.String()+":refs/heads/main")
	rewritten := b.commit(t, "README.md", "rewritten", main)
	if out, err := storetest.TryGit(t, b.dir, "push", "--force", b.Remote(t, hosttest.Engine), rewritten.String()+":refs/heads/main"); err == nil {
		t.Errorf("main was rewritten: %s", out)
	}
	must(t, h.MarkMerged(t.Context(), r.Number, merge))
	found, err := h.Find(t.Context(), "proposal/csv", "main")
	must(t, err)
	if !found.Merged || found.Merge != merge {
		t.Errorf("%+v", found)
	}
}

// TestManualMergeForbidden: if the repository does not accept notices of merges, a pull
// request is closed with a comment that names the commit.
func TestManualMergeForbidden(t *testing.T) {
	server := giteatest.Start(t)
	for _, who := range []string{hosttest.Engine, hosttest.Ada, hosttest.Bob} {
		server.User(t, who)
	}
	b := newBench(t, server)
	b.Settings(t, map[string]any{"allow_manual_merge": false, "autodetect_manual_merge": false})
	h := connect(t, b.options(b.token(t, hosttest.Engine)))
	head := b.commit(t, "skills/csv.md", "csv", b.tip(t, "main"))
	b.push(t, hosttest.Engine, "proposal/csv", head)
	r, err := h.Create(t.Context(), host.New{Branch: "proposal/csv", Base: "main", Title: "CSV"})
	must(t, err)
	merge := b.commit(t, "proposals/csv.md", "merged", b.tip(t, "main"), head)
	b.push(t, hosttest.Engine, "main", merge)
	for range 2 {
		must(t, h.MarkMerged(t.Context(), r.Number, merge))
	}
	found, err := h.Find(t.Context(), "proposal/csv", "main")
	must(t, err)
	comments := b.raw(t, r.Number)
	if found.Open || found.Merged || len(comments) != 1 || !strings.Contains(comments[0], merge.String()) {
		t.Errorf("%+v, %q", found, comments)
	}
	p, err := h.Protection(t.Context(), "main")
	must(t, err)
	if p.ManualMerge {
		t.Errorf("%+v", p)
	}
}

// TestHiddenPusher: pushes by an account that hides its activity are inferred from the
// branch.
func TestHiddenPusher(t *testing.T) {
	server := giteatest.Start(t)
	for _, who := range []string{hosttest.Engine, hosttest.Ada, hosttest.Bob} {
		server.User(t, who)
	}
	b := newBench(t, server)
	server.Do(t, hosttest.Ada, http.MethodPatch, "/user/settings", map[string]any{"hide_activity": true}, nil)
	h := connect(t, b.options(b.token(t, hosttest.Engine)))
	first := b.commit(t, "a.md", "a", b.tip(t, "main"))
	second := b.commit(t, "b.md", "b", first)
	third := b.commit(t, "c.md", "c", second)
	b.push(t, hosttest.Engine, "proposal/csv", first)
	b.push(t, hosttest.Ada, "proposal/csv", second)
	b.push(t, hosttest.Bob, "proposal/csv", third)
	want := []host.Push{{Login: hosttest.Engine, New: first}, {Old: first, New: second}, {Login: hosttest.Bob, Old: second, New: third}}
	var got []host.Push
	eventually(t, func() bool {
		var err error
		got, err = h.Pushes(t.Context(), "proposal/csv")
		if errors.Is(err, host.ErrUnknown) {
			t.Fatal(err)
		}
		same := err == nil && len(got) == len(want)
		for i := 0; same && i < len(want); i++ {
			got[i].At = want[i].At
			same = got[i] == want[i]
		}
		return same
	}, func() string { return describe(got) })
}

func describe(pushes []host.Push) string {
	var out []string
	for _, p := range pushes {
		out = append(out, "["+p.Login+"] "+short(p.Old)+".."+short(p.New))
	}
	return strings.Join(out, ", ")
}

func short(h tree.Hash) string {
	if h.IsZero() {
		return "nothing"
	}
	return h.Short()
}
