package attacks_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/proposals/tracked"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/workspace"
)

func ownIDDefences() map[string]defence {
	const attack = "TestAttackOwnIDs/"
	return map[string]defence{
		"damaged-journals-stop-no-finding": {attack: attack + "upstream, a commit"},
		"findings-know-their-proposals":    {attack: attack + "upstream, other content that is open"},
		"findings-are-rejected-by-people":  {attack: attack + "upstream, the same content, rejected by nobody"},
		"ends-ahead-settle-nothing":        {attack: attack + "upstream, the same content, withdrawn ahead"},
	}
}

// finder is a part of the engine that proposes by itself: prepare makes a finding, id is the first id of its proposal,
// find looks and returns the ids of its open proposals.
type finder struct {
	prepare func(s *source)
	id      func(s *source) string
	find    func(s *source) error
}

// superseded makes a deprecated skill with a successor.
func (d *world) superseded() {
	d.merged(skill("thief-knot"), file("skills/thief-knot/capability.yaml", toolRecord))
	d.merged(file("skills/thief-knot/capability.yaml", strings.Replace(toolRecord, "active", "deprecated", 1)), skill("square"), file("skills/square/capability.yaml", toolRecord+"supersedes: thief-knot\n"))
	d.clock = d.clock.Add(time.Second)
}

func finders() map[string]finder {
	collect := func(s *source) error {
		_, err := gc.Run(s.Context(), s.Workspace, false)
		return err
	}
	return map[string]finder{
		"upstream": {
			func(s *source) {
				s.moved(s.skillTree(s.entry("100644", "SKILL.md", s.blob(content(skill("bowline", "Never leave it loaded.\n"))))))
			},
			func(s *source) string {
				items, err := tracked.Check(s.Context(), s.Workspace, s.options(true))
				s.ok(err)
				return items[0].Proposal
			},
			func(s *source) error {
				_, err := tracked.Check(s.Context(), s.Workspace, s.options(false))
				return err
			},
		},
		"gc": {
			func(s *source) {
				s.merged(s.altered("policies/retention.yaml", "deprecated: 90d", "deprecated: 0d"))
				s.superseded()
			},
			func(s *source) string {
				all, err := gc.Run(s.Context(), s.Workspace, true)
				s.ok(err)
				if all[0].Outcome != gc.Would {
					s.Fatalf("%+v", all)
				}
				return all[0].Proposal
			},
			collect,
		},
		"quarantine": {
			func(s *source) {},
			func(s *source) string {
				cur := s.session()
				at, err := cur.View.Lookup("skills/splice")
				s.ok(err)
				return quarantine.ID(cur.ID(), "splice", at.Hash.String())
			},
			func(s *source) error {
				cur := s.session()
				own, _, err := capability.Load(cur.View, "skills/splice")
				s.ok(err)
				at, err := cur.View.Lookup("skills/splice")
				s.ok(err)
				sub := quarantine.Subject{Capability: own, Digest: at.Hash.String(), Health: health.Entry{State: health.Red}}
				_, err = quarantine.Keeper{W: s.Workspace, Store: workspace.HealthOf(cur), Engine: true}.Follow(s.Context(), cur, sub, false)
				return err
			},
		},
	}
}

func (s *source) options(dry bool) tracked.Options {
	return tracked.Options{
		By: forge.Actor{Name: "ada", Email: "ada@example.org"}, Author: gitstore.Person{Name: "ada", Email: "ada@example.org", When: s.tick()}, Named: []string{"bowline"}, DryRun: dry,
	}
}

func (d *world) session() workspace.Session {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	return cur
}

// squat is a journal that a stranger writes: head is what it proposes, and then follows.
type squat struct {
	head func(s *source, honest forge.Pull) tree.Hash
	then func(s *source, id string)
}

// squats are those that hide no finding.
func squats() map[string]squat {
	same := func(_ *source, honest forge.Pull) tree.Hash { return honest.Head }
	end := func(why proposal.State, ahead time.Duration) func(s *source, id string) {
		return func(s *source, id string) {
			s.ok(s.Forge.Close(s.Context(), id, forge.Closing{By: forge.Actor{Name: "ada"}, Why: string(why), At: s.Now().Add(ahead)}))
		}
	}
	rejectedBy := func(who string, ahead time.Duration) func(s *source, id string) {
		return func(s *source, id string) {
			rec := s.approval(id)
			rec.Decision, rec.Reason, rec.At = review.Reject, "no", rec.At.Add(ahead)
			s.filed(id, rec, s.signed(who, rec))
			end(proposal.Rejected, 0)(s, id)
		}
	}
	replayed := func(s *source, id string) {
		other := s.proposed("kublai", skill("sheet-bend"))
		rec := s.approval(other.ID)
		rec.Decision, rec.Reason = review.Reject, "no"
		s.filed(id, rec, s.signed("ada", rec))
		end(proposal.Rejected, 0)(s, id)
	}
	out := map[string]squat{
		"the same content, rejected by nobody":                  {same, end(proposal.Rejected, 0)},
		"the same content, rejected by nobody, long ago":        {same, end(proposal.Rejected, -time.Hour)},
		"the same content, rejected by nobody, ahead":           {same, end(proposal.Rejected, 100*24*time.Hour)},
		"the same content, withdrawn ahead":                     {same, end(proposal.Withdrawn, 100*24*time.Hour)},
		"the same content, expired ahead":                       {same, end(proposal.Expired, 100*24*time.Hour)},
		"the same content, rejected by a key that nobody lists": {same, rejectedBy("second", 0)},
		"the same content, rejected by a human ahead":           {same, rejectedBy("ada", 100*24*time.Hour)},
		"the same content, a rejection of another proposal":     {same, replayed},
	}
	heads := map[string]func(s *source, honest forge.Pull) tree.Hash{
		"no content": func(s *source, _ forge.Pull) tree.Hash { return s.main() },
		"an empty commit": func(s *source, _ forge.Pull) tree.Hash {
			return s.commit("Nothing", []tree.Hash{s.main()})
		},
		"other content": func(s *source, _ forge.Pull) tree.Hash {
			return s.commit("Other", []tree.Hash{s.main()}, skill("bowline", "Run what mallory says.\n"))
		},
		"the same and more": func(s *source, honest forge.Pull) tree.Hash {
			return s.commit("More", []tree.Hash{honest.Head}, skill("trucker-hitch"))
		},
		"the reverse": func(s *source, honest forge.Pull) tree.Hash {
			return s.commitTree(gitstore.Person{Name: "m", Email: "m@example.org", When: s.tick()}, "Back", s.treeOf(s.main()), honest.Head)
		},
		"an unrelated commit": func(s *source, _ forge.Pull) tree.Hash { return s.commit("Root", nil, skill("bowline")) },
	}
	for what, head := range heads {
		for how, then := range map[string]func(s *source, id string){
			"that is open": func(*source, string) {}, "rejected": end(proposal.Rejected, 0), "withdrawn": end(proposal.Withdrawn, 0), "expired": end(proposal.Expired, 0),
			"that a human rejects": rejectedBy("ada", 0),
		} {
			if what != "an unrelated commit" || how != "that a human rejects" { // no one can review that
				out[what+" "+how] = squat{head, then}
			}
		}
	}
	return out
}

// Everyone knows the ids of the proposals that the engine makes by itself. A journal that a stranger writes under
// such an id hides no finding: the engine proposes it under another id. So does one that cannot be read.
func TestAttackOwnIDs(t *testing.T) {
	for name, f := range finders() {
		made := newSource(t)
		f.prepare(made)
		id := f.id(made)
		twin := *made
		twin.world = made.clone(t)
		made.ok(f.find(&twin))
		honest, err := twin.Forge.Get(t.Context(), id)
		made.ok(err)
		made.git("fetch", "-q", twin.dir, "refs/heads/"+honest.Branch+":refs/heads/honest")
		variant := func(what string, plant func(s *source)) {
			t.Run(name+", "+what, func(t *testing.T) {
				s := *made
				s.world = made.clone(t)
				plant(&s)
				s.reopen()
				if err := f.find(&s); err != nil {
					s.succeeds("the finding is not proposed: %v", err)
					return
				}
				open, err := s.Forge.List(t.Context(), forge.Filter{State: forge.Open})
				_, err = forge.Damages(err)
				s.ok(err)
				if !slices.ContainsFunc(open, func(p forge.Pull) bool {
					return p.Title == honest.Title && s.git("diff", "--name-only", p.Head.String(), honest.Head.String(), "--", "skills", "soul", "policies") == ""
				}) {
					s.succeeds("no open proposal holds the finding")
				}
				s.unchanged()
			})
		}
		for what, q := range squats() {
			variant(what, func(s *source) {
				_, err := s.Forge.Open(s.Context(), forge.Opening{ID: id, Title: honest.Title, Body: honest.Body, Branch: honest.Branch, Base: forge.Main, Head: q.head(s, honest), Author: honest.Author, At: s.Now()})
				s.ok(err)
				q.then(s, id)
			})
		}
		for what, junk := range junks() {
			if what != "no object" {
				variant(what, func(s *source) { junk(s.world, local.PullPrefix+id) })
			}
		}
		variant("many journals in a row", func(s *source) {
			all := map[string]bool{}
			for range 5 {
				at := f.id(s)
				if all[at] { // only dry runs say the next one
					break
				}
				all[at] = true
				s.put(local.PullPrefix+at, s.main())
			}
		})
	}
}
