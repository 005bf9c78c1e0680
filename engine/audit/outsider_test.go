package audit_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/cmd/assent-verify/check"
	"github.com/assent-dev/assent/engine/base/effort"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// agreement compares the answers of the engine and the independent checker about one
// history.
type agreement string

// The permitted combinations of answers. Any other is a bug of one of the two.
const (
	same        agreement = "both name the same commit"
	neither     agreement = "neither can read main"
	unvouched   agreement = "the checker stops: no human or witness signed the attestation"
	malformed   agreement = "the checker stops: an object is not as git writes it"
	halted      agreement = "the engine stops: an object that cannot be read stops all of it"
	disagreeing agreement = "they disagree"
)

// TestOutsiderAgrees compares the engine, without memory, with assent-verify on tampered
// histories. The checker may be stricter where it cannot derive something itself.
func TestOutsiderAgrees(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not here, and nothing else checks signatures for assent-verify")
	}
	m, n := newMutatedBy(t, true), effort.Of(40, 150, 10_000)
	checker, err := check.Open(m.git, false)
	m.OK(err)
	defer checker.Close()
	if how, why := m.agree(checker); how != same {
		t.Fatalf("before anything was changed: %s: %s", how, why)
	}
	chosen, to := m.chosen(mathrand.New(mathrand.NewPCG(seedOf(t), 1)), n)
	found := map[agreement]int{}
	for i, c := range chosen {
		m.place(to[i].refs)
		how, why := m.agree(checker)
		if found[how]++; how == disagreeing {
			t.Errorf("%s: %s\n%s", c, why, m.edited(c.change))
		}
	}
	for _, how := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%6d %s", found[how], how)
	}
}

// edited returns the lines that a change replaces, quoted.
func (g *graph) edited(c change) string {
	var out strings.Builder
	for h, raw := range c.raw {
		before, after := strings.Split(string(g.things[h].raw), "\n"), strings.Split(string(raw), "\n")
		for i := range max(len(before), len(after)) {
			line := func(of []string) string { return strings.Join(of[min(i, len(of)):min(i+1, len(of))], "") }
			if line(before) != line(after) {
				fmt.Fprintf(&out, "%s: %.120q is %.120q\n", h.Short(), line(before), line(after))
			}
		}
	}
	return out.String()
}

// agree compares the answers about the current history.
func (m *mutated) agree(checker *check.Checker) (agreement, string) {
	m.Helper()
	cur, failed := m.Rejudged(m.Context(), func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		_, _, err := m.Rejudge(ctx, before, c)
		return err
	})
	res, err := checker.Check(m.Now())
	switch {
	case failed != nil && err != nil:
		return neither, ""
	case failed != nil && slices.ContainsFunc(unverifiable(), func(known error) bool { return errors.Is(failed, known) }):
		return halted, ""
	case failed != nil:
		return disagreeing, "the engine: " + failed.Error()
	case err != nil && strings.Contains(err.Error(), "unreadable"):
		return malformed, ""
	case err != nil:
		return disagreeing, "the checker cannot read it: " + err.Error()
	case res.InForce == cur.InForce.String():
		return same, ""
	case len(res.Blocked) > 0 && m.stands(cur.InForce.String(), res.InForce) && res.Blocked[0].Unverified:
		return unvouched, ""
	case len(res.Blocked) > 0 && m.stands(cur.InForce.String(), res.InForce) && strings.HasPrefix(res.Blocked[0].Why, "unreadable"):
		return malformed, ""
	}
	why := "engine " + cur.InForce.String() + ", checker " + res.InForce
	for _, b := range cur.Blocked {
		why += "\n  engine: " + b.Commit.Short() + " " + b.Why
	}
	for _, b := range res.Blocked {
		why += "\n  checker: " + b.Commit[:10] + " " + b.Why
	}
	return disagreeing, why
}

// stands reports whether one commit of main is an ancestor of the other.
func (m *mutated) stands(a, b string) bool {
	m.Helper()
	return exec.Command("git", "-C", m.git, "merge-base", "--is-ancestor", b, a).Run() == nil
}
