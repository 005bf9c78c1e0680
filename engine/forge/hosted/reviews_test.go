package hosted_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// retargeted is a service on which a person changed the base.
type retargeted struct{ host.Host }

func (r retargeted) Find(ctx context.Context, branch, base string) (host.Request, error) {
	out, err := r.Host.Find(ctx, branch, base)
	out.Base = "side"
	return out, err
}

func (r retargeted) List(ctx context.Context, prefix string, open bool) ([]host.Request, error) {
	out, err := r.Host.List(ctx, prefix, open)
	for i := range out {
		out[i].Base = "side"
	}
	return out, err
}

// TestReviewsOfAnotherBase: an approval for another base was of another difference, and
// does not count.
func TestReviewsOfAnotherBase(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "based-00000001")
	jochi := w.account("jochi")
	must(t, jochi.Forge.Review(t.Context(), p.ID, jochi.Review(p.ID, p.Head, review.Approve, "")))
	if a, err := f.Activity(t.Context(), p.ID); err != nil || len(a.Reviews) != 1 {
		t.Fatalf("%d reviews, %v", len(a.Reviews), err)
	}
	inner := w.as
	w.as = func(login string) host.Host { return retargeted{inner(login)} }
	f = w.forge(w.clone, "kublai")
	if a, err := f.Activity(t.Context(), p.ID); err != nil || len(a.Reviews) != 0 {
		t.Errorf("%d reviews count, %v", len(a.Reviews), err)
	}
	if strays, err := forge.Strays(f.Tend(t.Context())); err != nil || len(strays) != 1 || !strings.Contains(strays[0].Why, "instead of main") {
		t.Errorf("%v, %v; want an Astray error and no failure", strays, err)
	}
}

// TestObjectionsStay: an objection counts, whatever happens to the pull request that has
// it.
func TestObjectionsStay(t *testing.T) {
	for name, do := range map[string]func(w *world, p forge.Pull){
		"another one beside it, by whoever may read": func(w *world, p forge.Pull) {
			_, err := w.as("mal").Create(t.Context(), host.New{Branch: p.Branch, Base: "side", Title: "mine"})
			must(t, err)
		},
		"another base": func(w *world, p forge.Pull) { w.retarget(p.Number, "side") },
		"merged into another base": func(w *world, p forge.Pull) {
			w.retarget(p.Number, "side")
			must(t, w.as("eve").MarkMerged(t.Context(), p.Number, p.Head))
		},
		"closed, and one of their own": func(w *world, p forge.Pull) {
			w.retarget(p.Number, "side")
			must(t, w.as("eve").SetOpen(t.Context(), p.Number, false))
			_, err := w.as("eve").Create(t.Context(), host.New{Branch: p.Branch, Base: "main", Title: "mine"})
			must(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			f := w.forge(w.clone, "kublai")
			p := w.opened(f, "objected-00000001")
			jochi, signed := w.account("jochi"), w.person("temujin")
			must(t, signed.Forge.Review(t.Context(), p.ID, signed.Review(p.ID, p.Head, review.Approve, "")))
			must(t, jochi.Forge.Review(t.Context(), p.ID, jochi.Review(p.ID, p.Head, review.RequestChanges, "no")))
			do(w, p)
			_, err := forge.Strays(f.Tend(t.Context()))
			must(t, err)
			objecting := func(f forge.Forge) (n int) {
				a, err := f.Activity(t.Context(), p.ID)
				must(t, err)
				for _, r := range a.Reviews {
					if r.Decision == "request-changes" {
						n++
					}
				}
				return n
			}
			seen := objecting(f)
			if n := objecting(f.Closely()); n != 1 {
				t.Errorf("%d objections, read closely", n)
			}
			_, err = f.Merge(t.Context(), p.ID, forge.Merge{Head: p.Head, Base: w.tip(w.hub, "refs/heads/main"), Tree: treeOf(t, w.clone, p.Head),
				Title: "Merge", Message: "Merge\n", By: p.Author, At: epoch, Attestation: []byte("{}")})
			if closer := errors.Is(err, forge.ErrCloser); closer == (seen > 0) {
				t.Errorf("%d objections are seen at a glance, and merging says %v", seen, err)
			}
			if p.State = w.state(f, p.ID); seen == 0 && p.State != forge.Open {
				t.Error("it is", p.State)
			}
		})
	}
}

// TestForeignFirst: a pull request that a stranger opened first from a proposal's branch
// does not prevent the engine's own.
func TestForeignFirst(t *testing.T) {
	w := newWorld(t)
	f, down := w.forge(w.clone, "kublai"), errors.New("bad gateway")
	w.fail(down)
	head := storetest.Commit(t, w.clone, w.tip(w.clone, "refs/heads/main"), 100, storetest.Files("skills/a.md", "a")...)
	_, err := f.Open(t.Context(), forge.Opening{ID: "late-00000001", Title: "Late", Branch: "proposal/late-00000001", Base: "main", Head: head, Author: w.person("kublai").Actor, At: epoch})
	if !errors.Is(err, down) {
		t.Fatalf("%v; want the service's failure", err)
	}
	w.fail(nil)
	theirs, err := w.as("mal").Create(t.Context(), host.New{Branch: "proposal/late-00000001", Base: "side", Title: "mine"})
	must(t, err)
	must(t, f.Tend(t.Context()))
	ours, err := w.as("kublai").Find(t.Context(), "proposal/late-00000001", "main")
	if must(t, err); ours.Number == theirs.Number || ours.Base != "main" || !ours.Open {
		t.Errorf("%+v stands for it", ours)
	}
}

// TestDismissedThere: dismissing a review on the service revokes an account's decision
// there, but no signature.
func TestDismissedThere(t *testing.T) {
	w := newWorld(t)
	f := w.forge(w.clone, "kublai")
	p := w.opened(f, "dismissed-00000001")
	signed, account := w.person("temujin"), w.account("jochi")
	must(t, signed.Forge.Review(t.Context(), p.ID, signed.Review(p.ID, p.Head, review.RequestChanges, "no")))
	must(t, account.Forge.Review(t.Context(), p.ID, account.Review(p.ID, p.Head, review.Approve, "")))
	for _, login := range []string{"temujin", "jochi"} {
		must(t, w.as(login).Review(t.Context(), p.Number, host.Review{Decision: "revoke", Head: p.Head}))
	}
	a, err := f.Activity(t.Context(), p.ID)
	must(t, err)
	if len(a.Reviews) != 1 || len(a.Reviews[0].Record) == 0 || a.Reviews[0].Decision != "request-changes" {
		t.Errorf("%+v", a.Reviews)
	}
}
