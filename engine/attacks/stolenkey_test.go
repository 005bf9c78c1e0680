package attacks_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// stolen is a world in which a thief has a revoked key of owner, and a proposal waits for an
// approval that this key could have given.
type stolen struct {
	*world
	owner string
	pull  forge.Pull
}

// stolenDates are the dates that a thief writes into an approval, relative to the date of the
// revocation.
func stolenDates() map[string]time.Duration {
	return map[string]time.Duration{"an hour before": -time.Hour, "the second before": -time.Second, "that very second": 0, "the second after": time.Second, "now": 90 * time.Minute}
}

// newStolen revokes the key of a lead or of a human, from 90 minutes ago on. If early is set,
// approvals of every date were there before the revocation.
func newStolen(t *testing.T, owner, replace string, early bool) stolen {
	t.Helper()
	d := stolen{world: newWorld(t), owner: owner}
	edit := skill("bowline", "\nThen pull.\n")
	if owner == "bob" {
		edit = d.altered("policies/approvals.yaml", "  low: []", "  low: [{role: human, count: 1}]")
	}
	d.pull = d.proposed("kublai", edit)
	if owner == "bob" {
		d.approved(d.pull.ID, "ada")
	}
	from := d.tick().Add(-90 * time.Minute)
	if early {
		for _, after := range stolenDates() {
			d.approves(from.Add(after))
		}
	}
	roles := d.proposed("mongke", d.revocation(owner, replace, from))
	d.approved(roles.ID, "ada", "bob")
	if out := d.merge(roles.ID); !out.Merged {
		d.Fatal(out.Refused)
	}
	d.begin()
	return d
}

func (d stolen) approves(at time.Time) {
	d.Helper()
	rec := d.approval(d.pull.ID)
	rec.At = at.UTC().Truncate(time.Second)
	d.filed(d.pull.ID, rec, d.signed(d.owner, rec))
}

// A signature with a revoked key counts for nothing, whatever its date, even if it was there
// before the revocation and whatever the owner's new key is.
func TestAttackStolenKey(t *testing.T) {
	n := 0
	for _, owner := range []string{"mallory", "bob"} {
		for _, replace := range []string{"", "second"} {
			name := "the key of " + owner + ": "
			if replace != "" {
				name = "the key of " + owner + ", replaced: "
			}
			base := newStolen(t, owner, replace, false)
			for date, after := range stolenDates() {
				n++
				t.Run(name+"an approval of "+date, func(t *testing.T) {
					d := stolen{base.clone(t), owner, base.pull}
					d.approves(d.clock.Add(-90 * time.Minute).Add(after))
					d.holds(d.pull.ID, "needs ")
				})
			}
			n += len(stolenDates())
			t.Run(name+"approvals of before", func(t *testing.T) {
				d := newStolen(t, owner, replace, true)
				d.holds(d.pull.ID, "is revoked from")
			})
			for listing, edit := range relistings() {
				n++
				t.Run(name+"listed again "+listing, func(t *testing.T) {
					d := stolen{base.clone(t), owner, base.pull}
					before := d.inForce(policy.RolesFile)
					after := edit(before, owner, d.public(owner))
					if after == before {
						t.Fatal("nothing is changed")
					}
					out := d.asked(d.request("kublai", file(policy.RolesFile, after)))
					if !out.Opened || !out.Examined.Report.Passed {
						return
					}
					d.approved(out.Pull.ID, "ada")
					if replace != "" && owner == "bob" {
						d.approved(out.Pull.ID, "second")
					}
					if d.merge(out.Pull.ID).Merged {
						d.succeeds("the key is in force again")
					}
				})
			}
		}
	}
	if n += againVariants(t); n < 100 {
		t.Errorf("%d variants", n)
	}
}

// relistings list a revoked key again, with its revocation or in place of it.
func relistings() map[string]func(roles, owner, key string) string {
	all := map[string]func(roles, owner, key string) string{}
	for name, add := range map[string]func(roles, owner, key string) string{
		"for its owner": func(roles, owner, key string) string {
			head, rest, _ := strings.Cut(roles, owner+": {keys: [")
			if strings.HasPrefix(rest, "]") {
				return head + owner + `: {keys: ["` + key + `"` + rest
			}
			return head + owner + `: {keys: ["` + key + `", ` + rest
		},
		"for another human": func(roles, _, key string) string {
			return strings.Replace(roles, "ada: {keys: [", `ada: {keys: ["`+key+`", `, 1)
		},
		"for a witness": func(roles, _, key string) string {
			return strings.Replace(roles, "warden: {keys: [", `warden: {keys: ["`+key+`", `, 1)
		},
		"for a newcomer": func(roles, _, key string) string {
			return strings.Replace(roles, "people:\n", "people:\n  eve: {keys: [\""+key+"\"]}\n", 1)
		},
	} {
		all[name] = add
		all[name+", its revocation removed"] = func(roles, owner, key string) string {
			return add(revocationIn().ReplaceAllString(roles, ""), owner, key)
		}
	}
	all["by nobody, its revocation removed"] = func(roles, _, _ string) string { return revocationIn().ReplaceAllString(roles, "") }
	return all
}

func revocationIn() *regexp.Regexp { return regexp.MustCompile(`, revoked: \[\{[^}]*\}\]`) }

// againVariants try statements about a merge that needed a key, and returns how many.
func againVariants(t *testing.T) int {
	base := newWorld(t)
	q := base.proposed("kublai", skill("reef-knot", "\nThen pull.\n"))
	base.approved(q.ID, "ada")
	base.merge(q.ID)
	base.begin()
	n := 0
	open := func(d *world) bool {
		all, err := audit.ReliedOn(d.Context(), d.Workspace, d.who["ada"].Fingerprint(), nil)
		d.ok(err)
		return len(all) == 1 && all[0].Open()
	}
	for _, decision := range []review.Decision{review.Approve, review.Except} {
		try := func(name string, want bool, say func(d *world)) {
			n++
			t.Run(fmt.Sprintf("approved again, %s: %s", decision, name), func(t *testing.T) {
				d := base.clone(t)
				say(d)
				if settled := !open(d); settled && !want {
					d.succeeds("nobody looks at the merge again")
				} else if settled != want {
					d.Error("bob's statement does not count")
				}
				d.unchanged()
			})
		}
		alter := func(more func(*review.Again)) func(*review.Again) {
			return func(s *review.Again) {
				s.Decision = decision
				if more != nil {
					more(s)
				}
			}
		}
		try("no attack", true, func(d *world) { d.stands(q.ID, "bob", alter(nil)) })
		for _, who := range []string{"ada", "mallory", "mongke", "warden", "second"} {
			try("by "+who, false, func(d *world) { d.stands(q.ID, who, alter(nil)) })
		}
		for field, change := range map[string]func(*review.Again){
			"commit": func(s *review.Again) { s.Commit = tree.Hash{1} }, "workspace": func(s *review.Again) { s.Workspace = "elsewhere" },
			"key": func(s *review.Again) { s.Key = "SHA256:x" }, "proposal": func(s *review.Again) { s.Proposal = "another-0123" },
		} {
			try("about another "+field, false, func(d *world) { d.stands(q.ID, "bob", alter(change)) })
			try("of another "+field+", altered", false, func(d *world) { d.standsAltered(q.ID, alter(change), alter(nil)) })
		}
	}
	return n
}
