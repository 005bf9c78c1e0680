package attacks_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func voidedDefences() map[string]defence {
	const voided, places = "TestAttackVoidedMerge/live: ", "TestAttackAddedPlaces/"
	return map[string]defence{
		"nothing-after-the-announcement-counts": {attack: voided + "an event closed", with: []string{"claimed-merges-end-nothing"}, instead: "until = a.all"},
		"an-earlier-announcement-hides-nothing": {
			attack:  voided + "a forged announcement before the true one",
			instead: "if len(unfit) > 0 { return unfit[:1], nil }",
		},
		"places-hide-no-others":             {attack: places + "an older live ref", instead: "if place > 0 { break }"},
		"records-hide-no-others":            {attack: places + "a fold whose record cannot be read", instead: "if err != nil { return nil, err }"},
		"copies-crowd-out-nothing":          {attack: places + "a fold of many copies of the announcement", instead: "g.place, same.place = 0, 0"},
		"content-refuses-one-claim":         {attack: "TestAttackUnfitBranch/an entry twice in zz, keyed true"},
		"pulls-keep-what-proves-a-merge":    {attack: "TestAttackRewrittenOnHub/joined"},
		"counted-merges-break":              {attack: voided + "the journal deleted, and taken back"},
		"a-missing-announcement-is-a-break": {attack: voided + "the journal deleted, and taken back"},
		"a-break-is-not-taken-back":         {attack: voided + "the journal deleted, and taken back"},
		"newcomers-stop-at-a-break":         {attack: voided + "the journal deleted"},
		"breaks-are-resolved-by-humans":     {attack: "TestAttackBreak/resolved by one"},
		"damage-hides-no-break":             {attack: "TestAttackBreak/hidden behind a ref that is no journal"},
		"keys-on-main-make-breaks":          {attack: "TestAttackBreak/keys that a voided merge listed"},
	}
}

// broken returns a world whose main has a break that was reverted. An agent whose key is listed
// made the break. Every reader remembers the commit in force before it.
func broken(t *testing.T) tightened {
	t.Helper()
	d := newTightened(t)
	for _, dmg := range junk() {
		if dmg.name == "junk announced by a listed agent" {
			dmg.do(d)
		}
	}
	d.takenBack()
	d.reopen()
	d.Attester = d.who["ada"]
	return d
}

// A merge on top of a break decides from which state main goes on.
func TestAttackBreak(t *testing.T) {
	t.Run("resolved by one", func(t *testing.T) {
		d := broken(t)
		p := d.proposed("kublai", skill("clove-hitch"))
		d.tier(p.ID, policy.Critical)
		d.approved(p.ID, "ada")
		if out := d.merge(p.ID); out.Merged {
			d.succeeds("one approval of a small skill resolves a break")
			return
		}
		d.forged(forgery{id: p.ID, signer: "mongke"}, "needs 2 approvals by humans")
		if b := d.blockedBreak(); b.AnnouncedBy != "mongke" {
			d.Errorf("the break is %+v", b)
		}
	})
	t.Run("hidden behind a ref that is no journal", func(t *testing.T) {
		d := broken(t)
		d.put("refs/assent/pulls/nonsense-k3v9q2mt", d.main())
		res, err := audit.Verify(d.Context(), d.Workspace, nil)
		d.ok(err)
		if res.Broken == nil || res.Broken.Rule != audit.RuleBreak {
			d.succeeds("audit verify says %+v, and nothing of the break", res.Broken)
		} else if len(res.Others) != 1 || res.Others[0].Rule != audit.RuleJournal {
			d.Errorf("beside the break it says %+v", res.Others)
		}
	})
	t.Run("keys that a voided merge listed", func(t *testing.T) {
		w := newWorld(t)
		first, key := w.main(), `bob: {keys: ["`+w.public("bob")+`"`
		listing := w.merged(w.altered("policies/roles.yaml", key, key+`, "`+w.public("second")+`"`)) // unsigned
		w.Attester = w.who["second"]
		signed := w.merged(w.altered(strictPolicy, "  low: []", "  low: [{role: human, count: 1}]"))
		d := tightened{world: w, pull: listing, at: w.main()}
		d.rewrites(func(all []journal.Event) []journal.Event { return all[:len(all)-2] })
		d.pull = signed
		d.put(attest.MainRef, d.commitTree(gitstore.Person{Name: "bob", When: d.tick()}, "Back", d.treeOf(first), d.main()))
		if got := d.reading(d.TempDir(), false); got != "" {
			d.succeeds("a newcomer reads older policies")
		}
	})
	t.Run("resolved by two", func(t *testing.T) {
		d := broken(t)
		p := d.proposed("kublai", skill("clove-hitch"))
		d.approved(p.ID, "ada", "bob")
		if out := d.merge(p.ID); !out.Merged {
			d.Fatalf("two humans cannot resolve it: %s", out.Refused)
		}
		fresh := d.reading(d.TempDir(), false)
		if want := d.reading("", false); fresh != want || want == "" {
			d.succeeds("afterwards newcomers read %q, want %q", fresh, want)
		}
	})
	t.Run("a commit that changes nothing", func(t *testing.T) {
		d := broken(t)
		d.straight("Tidy up", file("README.md", "x\n"))
		d.blockedBreak()
		if d.reading(d.TempDir(), false) != "" {
			d.succeeds("a newcomer reads on past a break")
		}
	})
	t.Run("said to those who look", func(t *testing.T) {
		d := broken(t)
		d.Setenv("ASSENT_HOME", d.TempDir())
		d.reopen()
		cur, stopped, err := d.Look(d.Context())
		d.ok(err)
		if stopped == nil || !strings.Contains(stopped.Error(), "mongke") || stopped.At.ToResolve == "" {
			d.Errorf("stopped %+v", stopped)
		}
		if len(cur.Blocked) != 2 {
			d.Errorf("blocked: %+v", cur.Blocked)
		}
	})
}

// blockedBreak returns the break that a reader who remembers the old state sees.
func (d tightened) blockedBreak() attest.Unattested {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	b := cur.Break()
	if b == nil {
		d.succeeds("the break is gone")
		return attest.Unattested{Commit: tree.Hash{}}
	}
	return *b
}
