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

// origin is an inbox branch with what shows whose it is.
type origin struct {
	Branch
	// author is whose address the commit bears, which anybody can write; empty for nobody's.
	author string
	// seen says that a service shows who pushes, and by are the accounts that pushed this
	// branch, with their names in roles.yaml. The zero Actor is somebody unknown.
	seen bool
	by   []forge.Actor
}

// pushersOf asks the service, where there is one, who pushed a branch.
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

// isOf says that a person may be taken for the proposer: by their accounts where a service
// shows who pushed, else at their own address.
func (o origin) isOf(person string) bool {
	if !o.seen {
		return o.author == person
	}
	return !slices.ContainsFunc(o.by, func(a forge.Actor) bool { return a.Name != person })
}

// agentOf finds out whose proposal a branch is: the agent that its draft names,
// else the one in the branch's name, else whoever the commit's author address
// belongs to, or the account that pushed it. A person is taken only as isOf says.
// Without an answer, why says so.
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
		return "", fmt.Sprintf("its draft names agent %q, which is none of this workspace (%s)", drafted, known)
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
	return "", fmt.Sprintf("nobody knows whose it is: write agent: into the draft, or push to inbox/AGENT/NAME, with one of %s", known)
}
