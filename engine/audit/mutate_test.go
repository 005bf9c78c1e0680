package audit_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/effort"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// mutated is a history that is tampered with repeatedly.
type mutated struct {
	*world
	*graph
	witness audit.Witness
	moments []map[string]tree.Hash
	eve     ssh.Signer // unknown to every policy
	git     string     // the Git folder
	// kept are copies of the folders with the user's memory and the cache, by path.
	kept map[string]kept
}

func newMutated(t *testing.T) *mutated { return newMutatedBy(t, false) }

// newMutatedBy is newMutated in which every attestation is signed if signed is set.
func newMutatedBy(t *testing.T, signed bool) *mutated {
	t.Helper()
	d, witness, moments := newHistory(t, signed)
	home, err := keys.Home()
	d.OK(err)
	m := &mutated{world: d, witness: witness, moments: moments, git: d.Repo.CommonDir(), kept: map[string]kept{}}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	d.OK(err)
	m.eve, err = ssh.NewSignerFromKey(private)
	d.OK(err)
	gitOutput(t, m.git, nil, "pack-refs", "--all") // so that one file has all refs
	m.graph = readGraph(t, m.git)
	for _, dir := range []string{filepath.Join(home, "state"), filepath.Join(home, "places"), filepath.Join(m.git, "assent")} {
		m.kept[dir] = keep(t, dir)
	}
	t.Cleanup(func() { debug.SetGCPercent(100) })
	debug.SetGCPercent(400) // these tests allocate and drop much, and run alone
	return m
}

// place writes the refs as an attacker with access to the files would.
func (m *mutated) place(refs map[string]tree.Hash) {
	m.Helper()
	var packed strings.Builder
	packed.WriteString("# pack-refs with: sorted\n")
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintf(&packed, "%s %s\n", refs[name], name)
	}
	m.OK(os.WriteFile(filepath.Join(m.git, "packed-refs"), []byte(packed.String()), 0o600))
}

// remember restores the user's memory of the history; forget removes it, as for a user
// who never saw the history.
func (m *mutated) remember() {
	for dir, k := range m.kept {
		k.restore(m.T, dir)
	}
}

func (m *mutated) forget() {
	for dir := range m.kept {
		m.OK(os.RemoveAll(dir))
	}
}

// discovery is what reveals that a history was tampered with.
type discovery string

const (
	inside  discovery = "the repository"
	memory  discovery = "what the user saw"
	outside discovery = "a checkpoint"
	told    discovery = "a note"
	nothing discovery = "nothing"
)

// verify returns how a tampered history is detected and by which rule. It uses the
// witness only if nothing else detects it.
func (m *mutated) verify(passes func(*audit.Break) bool) (discovery, string) {
	m.Helper()
	defer m.remember()
	how, rule, res := m.once(inside, passes)
	if how == nothing {
		m.remember()
		if how, rule, _ = m.once(outside, passes, m.witness); how == nothing && len(res.Unrecorded) > 0 {
			return told, ""
		}
	}
	return how, rule
}

func (m *mutated) once(by discovery, passes func(*audit.Break) bool, witnesses ...audit.Witness) (discovery, string, audit.Result) {
	m.Helper()
	res, err := audit.VerifyPassing(m.Context(), m.Workspace, passes, witnesses...)
	switch {
	case err != nil && slices.ContainsFunc(unverifiable(), func(known error) bool { return errors.Is(err, known) }):
		return by, "no main to verify", res
	case err != nil && passes != nil:
		return by, "an error that the rule spares", res
	case err != nil:
		m.Errorf("a fault of journals or reviews became a failure of the environment: %v", err)
		return by, "error", res
	case res.Broken == nil:
		return nothing, "", res
	}
	m.readable(res.Broken)
	if rule := res.Broken.Rule; rule == audit.RuleRollback || rule == audit.RuleSeen {
		return memory, rule, res
	}
	return by, res.Broken.Rule, res
}

// readable checks that a break has a reason and a fix.
func (m *mutated) readable(b *audit.Break) {
	m.Helper()
	if b.Reason == "" || b.Fix == "" {
		m.Errorf("a break without a reason or a way on: %+v", b)
	}
}

// unverifiable returns the errors for a main that is not a verifiable history, or that
// git itself cannot read.
func unverifiable() []error {
	return []error{attest.ErrNoMain, attest.ErrNoGenesis, attest.ErrReplaced, gitstore.ErrCorrupt, gitstore.ErrNoObject}
}

// chosen returns n mutations that lead to n different histories, taken from each kind and
// role in turn. Their objects are in the repository.
func (m *mutated) chosen(random *mathrand.Rand, n int) ([]mutation, []applied) {
	m.Helper()
	all := m.mutations(random, m.moments, m.eve, max(6, n/400))
	groups := map[string][]mutation{}
	for _, i := range random.Perm(len(all)) {
		key := all[i].kind + "\x00" + all[i].role
		groups[key] = append(groups[key], all[i])
	}
	seen := map[string]bool{fmt.Sprint(m.refs): true}
	var out []mutation
	var to []applied
	made := map[tree.Hash]thing{}
	for len(groups) > 0 && len(out) < n {
		names := slices.Sorted(maps.Keys(groups)) // in another order each time, so that a short run covers many kinds
		random.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
		for _, key := range names {
			c := groups[key][0]
			if groups[key] = groups[key][1:]; len(groups[key]) == 0 {
				delete(groups, key)
			}
			if a := m.apply(c.change); !seen[fmt.Sprint(a.refs)] && len(out) < n {
				seen[fmt.Sprint(a.refs)] = true
				out, to = append(out, c), append(to, a)
				maps.Copy(made, a.made)
			}
		}
	}
	store(m.T, m.git, made)
	m.Logf("%d mutations of %d kinds, out of %d; %d objects", len(out), len(tally(out)), len(all), len(made))
	return out, to
}

func tally(all []mutation) map[string]int {
	n := map[string]int{}
	for _, c := range all {
		n[c.kind]++
	}
	return n
}

// harmless reports whether a mutation changes nothing relevant: a new ref that no command
// of assent reads, or another name for the folds of a line, as fetching from another
// clone creates. Both only add.
func (c mutation) harmless() bool {
	return c.kind == "ref made" && (c.role == "ref that assent does not read" || c.role == "copy of a line")
}

// pushed reports whether only branches of open proposals moved, as after any push.
func (m *mutated) pushed(refs map[string]tree.Hash) bool {
	for name, h := range m.refs {
		if refs[name] != h && refRole(name) != "branch of an open proposal" {
			return false
		}
	}
	return len(refs) <= len(m.refs)
}

// witnessOnly returns the reason why nothing in a repository can reveal this mutation; ""
// if something can. Content of main, reviews and evidence of merges always can.
func (c mutation) witnessOnly() string {
	switch {
	case c.kind == wholeRollback:
		return "a history that ends earlier is valid for a reader who did not see the later one"
	case strings.HasPrefix(c.role, "event "), c.role == "tree of an event", c.role == "actor":
		return "authors and times of events are signed in reviews only"
	case c.role == "journal":
		return "a journal that is not merged can end earlier, or not have been"
	case c.role == "report":
		return "anyone can record a report; only the one that a merge names is compared"
	case c.role == "record of a folded journal" && c.kind == "byte":
		return "JSON in another spelling, which is parsed the same"
	case c.role == "fold", c.role == "tree of a fold", c.role == "line of folds":
		return "times of folding are not signed"
	case strings.HasSuffix(c.role, " of a proposal"):
		return "content that was never approved is not signed"
	}
	return ""
}

func (c mutation) String() string {
	s := c.kind + " of " + c.role
	if c.thorough {
		s += ", with all that mentions it"
	}
	return s
}

func TestMutationsAreFound(t *testing.T) {
	m, n := newMutated(t), effort.Of(250, 1000, 12_000)
	chosen, to := m.chosen(mathrand.New(mathrand.NewPCG(seedOf(t), 0)), n)
	if len(chosen) < min(n, 1000) {
		t.Errorf("only %d mutations", len(chosen))
	}
	found := map[string]map[discovery]int{}
	for i, c := range chosen {
		m.place(to[i].refs)
		how, rule := m.verify(nil)
		if found[c.kind] == nil {
			found[c.kind] = map[discovery]int{}
		}
		found[c.kind][how]++
		switch {
		case c.harmless():
			if how != nothing && how != told { // refs with unknown names are named
				t.Errorf("%s: found by %s (%s), and nothing that matters was changed", c, how, rule)
			}
		case how == told && c.kind == "ref made" && c.role == "other journal": // one with an unknown name
		case how == nothing, how == told && !m.pushed(to[i].refs):
			t.Errorf("%s: not found", c)
		case how == outside && c.witnessOnly() == "":
			t.Errorf("%s: only a checkpoint tells (%s)", c, rule)
		case c.kind == wholeRollback && how != memory:
			t.Errorf("%s: %s told (%s), not the user's memory", c, how, rule)
		}
		if c.kind == wholeRollback {
			m.forget()
			if how, rule := m.verifyForgotten(); how != outside || rule != audit.RuleCheckpointMain && rule != audit.RuleCheckpointJournal {
				t.Errorf("%s: for a stranger %s tells (%s)", c, how, rule)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%-26s %v", kind, found[kind])
	}
}

// verifyForgotten is verify for a user who never saw the history.
func (m *mutated) verifyForgotten() (discovery, string) {
	m.Helper()
	defer m.remember()
	how, rule, _ := m.once(inside, nil)
	if how == nothing {
		m.forget()
		how, rule, _ = m.once(outside, nil, m.witness)
	}
	return how, rule
}

// seedOf returns a fixed seed, except in nightly runs.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(1)
	if effort.Nightly() {
		seed = mathrand.Uint64()
	}
	if given := os.Getenv("ASSENT_STRESS_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("ASSENT_STRESS_SEED: %v", err)
		}
	}
	t.Logf("ASSENT_STRESS_SEED=%d repeats these choices; keys, and so hashes, are new each time", seed)
	return seed
}
