package gitstore_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// TestOutgoingCompletesTheOtherSide: the sent pack and the other side's objects together have
// everything wanted, for any history and any part of it on the other side, under any ref names.
func TestOutgoingCompletesTheOtherSide(t *testing.T) {
	r := newRepo(t)
	rapid.Check(t, func(rt *rapid.T) {
		commits, err := storetest.Build(r, storetest.Histories().Draw(rt, "history"))
		if err != nil {
			rt.Fatal(err)
		}
		some := rapid.SliceOfNDistinct(rapid.SampledFrom(commits), 1, 4, rapid.ID[tree.Hash])
		there, tips := drawKnown(rt, some)
		wants := append(some.Draw(rt, "wants"), commits[len(commits)-1])
		if err := complete(r, wants, there, tips); err != nil {
			rt.Error(err)
		}
	})
}

// TestOutgoingRegressions has cases that failed once, without randomness.
func TestOutgoingRegressions(t *testing.T) {
	change := func(parent int, content string) storetest.Step {
		return storetest.Step{Parents: []int{parent}, Like: parent, Write: []string{"d/x"}, Content: content}
	}
	first := storetest.Step{Like: -1, Write: []string{"a", "d/x", "d/y"}, Content: "1"}
	for name, steps := range map[string][]storetest.Step{
		"an undo":            {first, change(0, "2"), {Parents: []int{1}, Like: 0}},
		"an undo of an undo": {first, change(0, "2"), {Parents: []int{1}, Like: 0}, {Parents: []int{2}, Like: 1}},
		"an undo by a merge": {first, change(0, "2"), change(0, "3"), {Parents: []int{1, 2}, Like: 0}},
		"a folder that was named by a submodule": {first,
			{Parents: []int{0}, Like: 0, Link: "submodule", Content: "2"}, {Parents: []int{1}, Like: 1, Link: "folder", Content: "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			commits, err := storetest.Build(r, steps)
			if err != nil {
				t.Fatal(err)
			}
			for n := range commits { // the other side has the first n
				there := gitstore.Known{Refs: map[string]tree.Hash{}}
				for _, h := range commits[:n] {
					there.Refs["refs/heads/"+h.String()] = h
				}
				if err := complete(r, commits[len(commits)-1:], there, commits[:n]); err != nil {
					t.Errorf("%d there: %v", n, err)
				}
			}
		})
	}
}

// complete returns an error if an object that wants need is neither sent nor reachable from
// tips, which the other side has.
func complete(r *gitstore.Repo, wants []tree.Hash, there gitstore.Known, tips []tree.Hash) error {
	near, beyond, err := r.Sent(wants, there) // these histories are short enough for walkBack
	if err != nil {
		return err
	}
	want := map[tree.Hash]bool{}
	err = r.Closure(want, wants...)
	for name, sent := range map[string][]tree.Hash{"near": near, "beyond": beyond} {
		have := map[tree.Hash]bool{}
		err = errors.Join(err, r.Closure(have, tips...))
		for _, h := range sent {
			have[h] = true
		}
		for h := range want {
			if !have[h] {
				err = errors.Join(err, fmt.Errorf("%s: %s is wanted and neither sent nor there", name, h))
			}
		}
	}
	return err
}

// drawKnown draws the refs that another repository reports, and its commits that are known
// here. It also has commits unknown here, and objects without a ref.
func drawKnown(rt *rapid.T, some *rapid.Generator[[]tree.Hash]) (gitstore.Known, []tree.Hash) {
	there := gitstore.Known{Refs: map[string]tree.Hash{}}
	if rapid.Bool().Draw(rt, "empty") {
		return there, nil
	}
	tips := some.Draw(rt, "there")
	for i, h := range tips {
		where := rapid.SampledFrom([]string{"refs/heads/", "refs/assent/pulls/", "refs/pull/", "refs/tags/", ""}).Draw(rt, "where")
		if where == "" {
			there.Others = append(there.Others, h)
			continue
		}
		there.Refs[fmt.Sprint(where, i)] = h
	}
	if rapid.Bool().Draw(rt, "stranger") {
		there.Refs["refs/heads/stranger"] = tree.BlobHash([]byte("of nobody here"))
		there.Others = append(there.Others, tree.BlobHash([]byte("nor this")))
	}
	return there, tips
}
