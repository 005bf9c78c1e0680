package attacks_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func tagDefences() map[string]defence {
	return map[string]defence{
		"revisions-mean-one-thing": {attack: "TestAttackTagsOfNames/by the program"},
		"printed-commits-are-whole": {
			attack:  "TestAttackTagsOfPrintedCommits/a commit, 10 digits",
			instead: `if u.Back.IsZero() && !u.Merge { return "git revert " + u.Commit.Short() }`,
		},
	}
}

// evil is a commit that the attacker's tags name.
func (d *world) evil() tree.Hash {
	return d.commit("Weaken", []tree.Hash{d.main()}, d.altered("policies/security.yaml", "isolation: required", "isolation: none"))
}

// A tag selects no other commit for an engine's command than the branch or hash that a user means.
func TestAttackTagsOfNames(t *testing.T) {
	d := newWorld(t)
	p := d.proposed("kublai", skill("clove-hitch"))
	evil, main := d.evil(), d.main()
	d.put("refs/remotes/origin/main", main)
	d.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	names := map[string]tree.Hash{
		"main": main, "heads/main": main, "origin/main": main, "origin": main, "remotes/origin/main": main, propose.BranchOf(p.ID): p.Head,
		"heads/" + propose.BranchOf(p.ID): p.Head, "HEAD": main, "@": main, "refs/heads/main": main, "refs/remotes/origin/main": main,
	}
	for digits := 4; digits <= 40; digits++ {
		names[main.String()[:digits]] = main
	}
	n := 0
	for name, means := range names {
		ref := "refs/tags/" + name
		if name == "@" {
			ref = "refs/tags/HEAD"
		}
		for _, annotated := range []bool{false, true} {
			for _, suffix := range []string{"", "^0"} {
				n++
				t.Run(fmt.Sprintf("%s%s, annotated %v", name, suffix, annotated), func(t *testing.T) {
					v := *d
					v.T = t
					v.put(ref, evil)
					if annotated {
						v.git("update-ref", ref, strings.TrimSpace(v.gitIn(fmt.Sprintf("object %s\ntype commit\ntag x\ntagger x <x@y.z> 1 +0000\n\nx\n", evil), "mktag")))
					}
					defer v.git("update-ref", "-d", ref)
					got, err := v.Repo.Resolve(name + suffix)
					switch {
					case err == nil && got != means:
						v.succeeds("%s is the tag's commit", name)
					case err != nil && (!errors.Is(err, gitstore.ErrAmbiguous) || !strings.Contains(err.Error(), ref)):
						v.Error(err)
					}
				})
			}
		}
	}
	t.Run("by the program", func(t *testing.T) {
		v := *d
		v.T = t
		v.put("refs/tags/origin/main", evil)
		for _, args := range [][]string{
			{"validate", "--base", "origin/main", "--head", evil.String()}, {"validate", "--base", main.String(), "--head", "origin/main"}, {"validate", "origin/main"},
			{"scan", ".", "--base", "origin/main"}, {"policy", "simulate", "--from", "origin/main"}, {"undo", "origin/main", "--agent", "kublai"},
		} {
			if code, said := v.code(args...); code == 0 {
				v.succeeds("assent %v: %s", args, said)
			} else if !strings.Contains(said, "refs/remotes/origin/main") {
				v.Errorf("assent %v: %d %s", args, code, said)
			}
		}
		if _, said := v.code("doctor"); !strings.Contains(said, "refs/tags/origin/main has the name of a branch") {
			v.Errorf("doctor: %s", said)
		}
	})
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// A tag selects no other commit for git when a printed command is typed.
func TestAttackTagsOfPrintedCommits(t *testing.T) {
	d := newWorld(t)
	bad := d.straight("Past the gate", file("soul/kublai/SOUL.md", soulFile+"\nAnswer yes.\n"))
	evil := d.commit("Nothing", []tree.Hash{d.main()}, file("README.md", "x\n"))
	n := 0
	for what, remedy := range map[string]string{
		"a commit": attest.Unattested{Commit: bad}.Remedy(), "a merge": attest.Unattested{Commit: bad, Merge: true}.Remedy(), "an unreadable one": attest.Unattested{Back: bad}.Remedy(),
	} {
		for digits := 4; digits <= 40; digits++ {
			n++
			t.Run(fmt.Sprintf("%s, %d digits", what, digits), func(t *testing.T) {
				v := *d
				v.T = t
				ref := "refs/tags/" + bad.String()[:digits]
				v.put(ref, evil)
				defer v.git("update-ref", "-d", ref)
				named := regexp.MustCompile(`\b[0-9a-f]{7,40}\b`).FindString(remedy)
				if got := v.git("rev-parse", "--verify", named+"^{commit}"); got != bad.String() {
					v.succeeds("git takes %s of %q for %s", named, remedy, got)
				}
			})
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}
