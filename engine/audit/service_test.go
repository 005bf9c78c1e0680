package audit_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/host/memhost"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// serviced is a workspace on a service, with two humans who have accounts there.
type serviced struct {
	*world
	bob    *keys.Signer
	server *memhost.Server
	hub    string
	// given has the times of decisions on the pages, by number.
	given map[int][]time.Time
}

// service is memhost with the clock of the world, and further facts that tests set.
type service struct {
	host.Host
	d      *world
	given  map[int][]time.Time
	pushes []host.Push
	labels []string
}

func (s service) Find(ctx context.Context, branch, base string) (host.Request, error) {
	r, err := s.Host.Find(ctx, branch, base)
	r.Labels = append(r.Labels, s.labels...)
	return r, err
}

func (s service) Reviews(ctx context.Context, number int) ([]host.Review, error) {
	all, err := s.Host.Reviews(ctx, number)
	for i := range all {
		all[i].At = s.given[number][i]
	}
	return all, err
}

func (s service) Pushes(context.Context, string) ([]host.Push, error) {
	if s.pushes == nil {
		return nil, host.ErrUnknown
	}
	return s.pushes, nil
}

func onService(t *testing.T, witness bool) *serviced {
	t.Helper()
	d := newWorld(t)
	s := &serviced{world: d, bob: d.bob(), hub: t.TempDir(), given: map[int][]time.Time{}}
	cur, err := d.Session(d.Context())
	d.OK(err)
	roles, err := cur.View.Read(policy.RolesFile)
	d.OK(err)
	text := strings.Replace(string(roles), "  bob:\n", "  bob:\n    logins: {gitea: bob}\n", 1)
	text = strings.Replace(text, "  ada:\n", "  ada:\n    logins: {gitea: ada}\n", 1)
	if witness {
		text = strings.Replace(text, "human: [", "witness: [ada]\n  human: [", 1)
		d.Attester = d.Ada
	}
	id := d.proposed(proposal.Proposal{Goal: "logins"}, tree.Edit{Path: policy.RolesFile, Content: []byte(text)})
	d.decided(id, d.Ada, review.Approve)
	d.decided(id, s.bob, review.Approve)
	d.merge(id)
	storetest.Git(t, s.hub, "init", "-q", "--bare", "-b", "main")
	storetest.Git(t, d.Repo.Top(), "remote", "add", "origin", s.hub)
	storetest.Git(t, d.Repo.Top(), "push", "-q", "origin", "main", "refs/assent/*:refs/assent/*")
	hub, err := gitstore.Open(s.hub)
	d.OK(err)
	s.server = memhost.New(func(branch string) tree.Hash { h, _ := hub.Ref("refs/heads/" + branch); return h })
	s.as("engine")
	return s
}

// as connects to the service with the token of an account.
func (s *serviced) as(login string) {
	s.through(service{Host: s.server.As(login), d: s.world, given: s.given})
}

func (s *serviced) through(h host.Host) {
	s.Forge = hosted.New(s.Repo, "origin", h, s.syncOf(s.Workspace))
}

func (s *serviced) syncOf(w *workspace.Workspace) hub.Sync {
	return func(ctx context.Context, id string) error {
		if _, err := exchange.Pull(ctx, w, "origin", false); err != nil || id == "" {
			return err
		}
		_, err := exchange.Push(ctx, w, exchange.Options{Remote: "origin", IDs: []string{id}})
		return err
	}
}

func (s *serviced) limits() tree.Edit {
	return tree.Edit{Path: "policies/limits.yaml", Content: []byte("learned_per_agent: 40\n")}
}

// onPage records a decision of an account on the page.
func (s *serviced) onPage(id, login, decision, body string) {
	s.Helper()
	p, err := s.Forge.Get(s.Context(), id)
	s.OK(err)
	s.OK(s.server.As(login).Review(s.Context(), p.Number, host.Review{Decision: decision, Body: body, Head: p.Head}))
	s.given[p.Number] = append(s.given[p.Number], s.Tick())
}

// agreed merges a proposal that both humans signed.
func (s *serviced) agreed(id string) {
	s.Helper()
	s.decided(id, s.Ada, review.Approve)
	s.decided(id, s.bob, review.Approve)
	s.merge(id)
}

// onto merges a commit into the branch of a proposal.
func (s *serviced) onto(id string, other tree.Hash) {
	s.Helper()
	p, err := s.Forge.Get(s.Context(), id)
	s.OK(err)
	both, err := s.Result(other, p.Head)
	s.OK(err)
	who := gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: s.Tick()}
	next, err := s.Repo.WriteCommit(gitstore.Commit{Tree: both.Tree, Parents: []tree.Hash{p.Head, other}, Author: who, Committer: who, Message: "Merge\n"}, nil)
	s.OK(err)
	_, err = s.Forge.Push(s.Context(), id, forge.Push{By: forge.Actor{Name: "kublai"}, Old: p.Head, New: next, At: s.Tick()})
	s.OK(err)
}

// stacked opens two proposals whose branches share a commit: part contains only that
// commit, whole has more.
func (s *serviced) stacked() (part, whole string) {
	s.Helper()
	bowline := skill("bowline", "Pull.")
	first := s.Commit("Tie\n", []tree.Hash{s.Main()}, bowline)
	part = s.proposed(proposal.Proposal{Goal: "tie"}, bowline)
	whole = s.proposed(proposal.Proposal{Goal: "tie both"}, bowline, skill("sheet-bend", "Then jump."))
	s.onto(part, first)
	s.onto(whole, first)
	return part, whole
}

// TestMergedWithAService checks that each merge is in force for readers without access to
// the service, and passes an audit; and that a refusal moves nothing.
func TestMergedWithAService(t *testing.T) {
	skillOf := func(s *serviced) string { return s.proposed(proposal.Proposal{Goal: "tie"}, skill("bowline", "Pull.")) }
	for _, c := range []struct {
		name    string
		witness bool
		merges  bool
		why     string
		late    bool // the objection shows only when main is about to move
		play    func(s *serviced) string
	}{
		{name: "approved on the page, with a witness", witness: true, merges: true, play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.onPage(id, "ada", "approve", "")
			s.onPage(id, "bob", "approve", "")
			return id
		}},
		{name: "approved on the page, without one", why: "role witness", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.onPage(id, "ada", "approve", "")
			s.onPage(id, "bob", "approve", "")
			return id
		}},
		{name: "signed here, approved there, without a witness", merges: true, play: func(s *serviced) string {
			id := skillOf(s)
			s.decided(id, s.Ada, review.Approve)
			s.onPage(id, "bob", "approve", "")
			return id
		}},
		{name: "proposed with the token of a person", why: "needs 2 approvals by humans", play: func(s *serviced) string {
			s.as("ada")
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.decided(id, s.bob, review.Approve)
			return id
		}},
		{name: "an account that a record claims", witness: true, why: "needs 2 approvals by humans", play: func(s *serviced) string {
			s.as("mallory")
			out, err := propose.Open(s.Context(), s.Workspace, propose.Request{
				Proposal: proposal.Proposal{Goal: "limits"}, Edits: []tree.Edit{s.limits()}, By: forge.Actor{Name: "kublai", Login: "ada"},
				Author: gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: s.Tick()},
			})
			s.OK(err)
			s.as("engine")
			s.onPage(out.Pull.ID, "bob", "approve", "")
			return out.Pull.ID
		}},
		{name: "an objection on a page that somebody else replaced", why: "bob", play: func(s *serviced) string {
			id := skillOf(s)
			s.decided(id, s.Ada, review.Approve)
			s.onPage(id, "bob", "request-changes", "no")
			p, err := s.Forge.Get(s.Context(), id)
			s.OK(err)
			s.OK(s.server.Retarget(p.Number, "side"))
			s.OK(s.server.As("eve").SetOpen(s.Context(), p.Number, false))
			_, err = s.server.As("eve").Create(s.Context(), host.New{Branch: p.Branch, Base: p.Base, Title: "mine"})
			s.OK(err)
			return id
		}},
		{name: "an objection that looks like a signed decision", why: "bob", play: func(s *serviced) string {
			id := skillOf(s)
			s.decided(id, s.Ada, review.Approve)
			s.onPage(id, "bob", "request-changes", "no! <!-- assent:signed -->")
			return id
		}},
		{name: "a label on the page", merges: true, play: func(s *serviced) string {
			s.through(service{Host: s.server.As("engine"), d: s.world, given: s.given, labels: []string{"risk:high"}})
			id := skillOf(s)
			s.decided(id, s.bob, review.Approve)
			s.decided(id, s.Ada, review.Approve)
			return id
		}},
		{name: "pushed with plain git by somebody the service names", why: "pushed", play: func(s *serviced) string {
			id := skillOf(s)
			p, err := s.Forge.Get(s.Context(), id)
			s.OK(err)
			next := s.Commit("more\n", []tree.Hash{p.Head}, skill("bowline", "Pull harder."))
			s.OK(s.Repo.Update(gitstore.RefUpdate{Name: "refs/tests/pushed", New: next, Any: true}))
			storetest.Git(s.T, s.Repo.Top(), "push", "-q", s.hub, "refs/tests/pushed:refs/heads/proposal/"+id)
			s.through(service{Host: s.server.As("engine"), d: s.world, given: s.given, pushes: []host.Push{{Login: "bob", Old: p.Head, New: next, At: s.Clock}}})
			s.OK(s.Forge.Refresh(s.Context()))
			s.decided(id, s.Ada, review.Approve)
			return id
		}},
		{name: "pushed by somebody the service names, and by another account as the journal says", why: "bob pushed to it", play: func(s *serviced) string {
			out, err := propose.Open(s.Context(), s.Workspace, propose.Request{
				Proposal: proposal.Proposal{Goal: "tie"}, Edits: []tree.Edit{skill("bowline", "Pull.")}, By: forge.Actor{Name: "kublai", Login: "somebody-else"},
				Author: gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: s.Tick()},
			})
			s.OK(err)
			s.through(service{Host: s.server.As("engine"), d: s.world, given: s.given, pushes: []host.Push{{Login: "bob", New: out.Pull.Head, At: s.Clock}}})
			s.decided(out.Pull.ID, s.bob, review.Approve)
			return out.Pull.ID
		}},
		{name: "approved on the page, and main moved on", witness: true, merges: true, play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.onPage(id, "ada", "approve", "")
			s.onPage(id, "bob", "approve", "")
			s.agreed(skillOf(s))
			return id
		}},
		{name: "approved on the page, upon code that somebody pushed to main", witness: true, merges: true, play: func(s *serviced) string {
			s.put(s.Straight("code", tree.Edit{Path: "README.md", Content: []byte("x\n")}))
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.onPage(id, "ada", "approve", "")
			s.onPage(id, "bob", "approve", "")
			return id
		}},
		{name: "approved on the page after the branch took in main", witness: true, merges: true, play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.agreed(skillOf(s))
			s.onto(id, s.Main())
			s.onPage(id, "ada", "approve", "")
			s.onPage(id, "bob", "approve", "")
			return id
		}},
		{name: "approved on the page before main took in a part", witness: true, why: "main took in a part of what was approved", play: func(s *serviced) string {
			part, whole := s.stacked()
			s.onPage(whole, "ada", "approve", "")
			s.onPage(whole, "bob", "approve", "")
			s.agreed(part)
			return whole
		}},
		{name: "approved on the page before and after main took in a part", witness: true, merges: true, play: func(s *serviced) string {
			part, whole := s.stacked()
			s.onPage(whole, "ada", "approve", "")
			s.agreed(part)
			s.onPage(whole, "bob", "approve", "")
			return whole
		}},
		{name: "a part whose commit the service moved main to", witness: true, why: "main took in a part of what was approved", play: func(s *serviced) string {
			part := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			p, err := s.Forge.Get(s.Context(), part)
			s.OK(err)
			head, err := s.Repo.Commit(p.Head)
			s.OK(err)
			head.Committer.When = s.Clock.Add(time.Hour) // so that it is approved by its own date
			next, err := s.Repo.WriteCommit(head, nil)
			s.OK(err)
			_, err = s.Forge.Push(s.Context(), part, forge.Push{By: forge.Actor{Name: "kublai"}, Old: p.Head, New: next, At: s.Tick()})
			s.OK(err)
			whole := skillOf(s)
			s.onto(whole, next)
			s.onPage(whole, "ada", "approve", "")
			s.onPage(whole, "bob", "approve", "")
			s.decided(part, s.Ada, review.Approve)
			s.decided(part, s.bob, review.Approve)
			s.Clock = s.Clock.Add(2 * time.Hour)
			s.put(next)
			s.OK(s.server.As("somebody").MarkMerged(s.Context(), p.Number, next))
			s.OK(s.Forge.Refresh(s.Context()))
			s.merge(part)
			return whole
		}},
		{name: "a part that main took in without a witness", witness: true, why: "no witness says since when", play: func(s *serviced) string {
			part, whole := s.stacked()
			s.Attester = nil
			s.agreed(part)
			s.Attester = s.Ada
			s.onPage(whole, "bob", "approve", "")
			return whole
		}},
		{name: "a part that main took in without a witness, and a rebase since", witness: true, merges: true, play: func(s *serviced) string {
			part, whole := s.stacked()
			s.Attester = nil
			s.agreed(part)
			s.Attester = s.Ada
			_, err := propose.Rebase(s.Context(), s.Workspace, whole, propose.Request{By: forge.Actor{Name: "kublai"}})
			s.OK(err)
			s.onPage(whole, "bob", "approve", "")
			return whole
		}},
		{name: "main here is ahead of the remote's", late: true, why: "main has commits here", play: func(s *serviced) string {
			id := skillOf(s)
			s.decided(id, s.bob, review.Approve)
			s.Straight("code", tree.Edit{Path: "README.md", Content: []byte("x\n")})
			return id
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := onService(t, c.witness)
			id := c.play(s)
			before, err := s.Repo.Ref("refs/heads/main")
			s.OK(err)
			dry, err := merge.Run(s.Context(), s.Workspace, id, forge.Actor{Name: "engine"}, true)
			if err != nil || (dry.Refused == "") != c.merges && !c.late {
				t.Errorf("tried, it is refused: %q, %v", dry.Refused, err)
			}
			out, err := merge.Run(s.Context(), s.Workspace, id, forge.Actor{Name: "engine"}, false)
			if why := out.Refused; out.Merged != c.merges || !c.merges && !strings.Contains(why+errorText(err), c.why) {
				t.Fatalf("merged %v, refused %q, %v", out.Merged, why, err)
			}
			cur, err := s.Session(s.Context())
			s.OK(err)
			if cur.InForce != cur.Main && c.merges || !c.merges && cur.Main != before {
				t.Errorf("in force %s, main %s, before %s; blocked %v", cur.InForce.Short(), cur.Main.Short(), before.Short(), cur.Blocked)
			}
			res, err := audit.Verify(s.Context(), s.Workspace, nil)
			s.OK(err)
			if res.Broken != nil {
				t.Errorf("the audit: %+v", res.Broken)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
