package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// origin is an inbox branch with the evidence of its proposer.
type origin struct {
	Branch
	// author is the identity with the commit's author address, which anyone can write;
	// empty if none has it.
	author string
	// seen says that a service shows who pushes. by are the accounts that pushed this
	// branch, with their names in roles.yaml; the zero Actor is an unknown account.
	seen bool
	by   []forge.Actor
}

// pushersOf asks the service, if there is one, who pushed a branch.
func pushersOf(ctx context.Context, cur workspace.Session, b Branch) (origin, error) {
	out := origin{Branch: b}
	commit, err := cur.Repo.Commit(b.Commit)
	if err != nil {
		return out, err
	}
	author, _ := cur.Policies.Roles.ByEmail(commit.Author.Email)
	out.author = author.Name
	if !cur.Forge.Traits().SeesPushers {
		return out, nil
	}
	service, by, err := cur.Forge.WhoPushed(ctx, b.Name, b.Commit)
	if err != nil {
		return out, err
	}
	for i, a := range by {
		if id, ok := cur.Policies.Roles.ByLogin(service, a.Login); ok && a.Login != "" {
			by[i].Name = id.Name
		}
	}
	out.seen, out.by = true, by
	return out, nil
}

// isOf reports whether a person may be taken for the proposer: by their accounts if a
// service shows who pushed, else by the author address.
func (o origin) isOf(person string) bool {
	if !o.seen {
		return o.author == person
	}
	return !slices.ContainsFunc(o.by, func(a forge.Actor) bool { return a.Name != person })
}

// agentOf returns the proposer of an inbox branch: the agent that its draft names, else the
// one in the branch's name, else the account that pushed it, else the identity with the
// commit's author address. A person is accepted only if isOf allows it. If there is no
// answer, why gives the reason.
func agentOf(cur workspace.Session, from origin, drafted string) (agent, why string) {
	roles := cur.Policies.Roles
	mayBe := func(name string) bool {
		if id, listed := roles.ByName(name); listed && id.Kind == policy.KindHuman {
			return from.isOf(name)
		}
		return propose.Known(cur, name)
	}
	known := strings.Join(propose.Agents(cur), ", ")
	if drafted != "" {
		if mayBe(drafted) {
			return drafted, ""
		}
		if _, listed := roles.ByName(drafted); listed && from.seen {
			return "", fmt.Sprintf("its draft names %q, whose account did not push it", drafted)
		}
		return "", fmt.Sprintf("its draft names agent %q, which this workspace does not have (%s)", drafted, known)
	}
	if parts := strings.Split(from.Name, "/"); len(parts) > 2 && mayBe(parts[1]) {
		return parts[1], ""
	}
	if from.seen && len(from.by) == 1 && from.by[0].Name != "" {
		return from.by[0].Name, ""
	}
	if from.author != "" && mayBe(from.author) {
		return from.author, ""
	}
	return "", fmt.Sprintf("its proposer is unknown: write agent: into the draft, or push to inbox/AGENT/NAME, with one of %s", known)
}
