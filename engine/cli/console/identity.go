package console

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// Who returns the actor on a proposal: the named agent, else Git's user.
func Who(c *Console, cur workspace.Session, agent string) forge.Actor {
	if agent == "" {
		return Acting(c, cur)
	}
	by, _, err := propose.Who(cur, agent)
	if err != nil {
		return forge.Actor{Name: agent}
	}
	return by
}

// Proposer begins a request with its proposer.
func Proposer(cur workspace.Session, agent string, dryRun bool) (propose.Request, error) {
	r := propose.Request{DryRun: dryRun}
	var err error
	r.By, r.Author, err = propose.Who(cur, agent)
	var unknown *propose.Unknown
	if errors.As(err, &unknown) {
		return r, &Failure{Code: ExitUsage, Err: err, Hint: UnknownHint(cur, *unknown)}
	}
	return r, err
}

// UnknownHint says how an unknown identity can become known.
func UnknownHint(cur workspace.Session, u propose.Unknown) string {
	if u.Agent != "" {
		return "assent whoami shows who you are in this workspace"
	}
	var ways []string
	if id, known := signsAs(cur); known {
		ways = append(ways, "your key belongs to "+id.Name)
		if len(id.Emails) > 0 {
			ways = append(ways, "to propose as "+id.Name+": git config user.email "+names.ShellWord(id.Emails[0]))
		}
	}
	if u.Email != "" {
		ways = append(ways, "to have "+u.Email+" listed: assent roles add --self")
	}
	return strings.Join(ways, "; ")
}

// Me names who runs the command, as proposals wait for them: the agent of ASSENT_AGENT, or else
// the people of roles.yaml to whom the user's key and address belong.
func Me(c *Console, cur workspace.Session) ([]string, error) {
	if agent := c.World.Getenv("ASSENT_AGENT"); agent != "" {
		return []string{agent}, CheckAgent(cur, agent)
	}
	var out []string
	if id, known := signsAs(cur); known {
		out = append(out, id.Name)
	}
	_, email := cur.Repo.User()
	if id, known := cur.Policies.Roles.ByEmail(email); known && !slices.Contains(out, id.Name) {
		out = append(out, id.Name)
	}
	if len(out) == 0 {
		return nil, &Failure{
			Code: ExitUsage, Err: fmt.Errorf("%s lists neither your key nor your e-mail address, so no proposal waits for you", policy.RolesFile),
			Hint: "assent whoami shows who you are here, assent roles add --self proposes to list you",
		}
	}
	return out, nil
}

// signsAs is the identity of the key that signs when none is named.
func signsAs(cur workspace.Session) (id policy.Identity, known bool) {
	spec, err := KeyOf(cur)
	if err != nil {
		return id, false
	}
	key, err := keys.Public(spec)
	if err != nil {
		return id, false
	}
	if _, _, revoked := cur.Policies.Roles.RevokedKey(review.FingerprintOf(key)); revoked {
		return id, false
	}
	return cur.Policies.Roles.ByKey(review.FingerprintOf(key))
}

// AgentsIn lists the agents of a workspace: those with a soul, and those that
// roles.yaml names; sorted.
func AgentsIn(cur workspace.Session) ([]string, error) {
	var out []string
	for _, id := range cur.Policies.Roles.All() {
		if id.Kind == "agent" {
			out = append(out, id.Name)
		}
	}
	entries, err := cur.View.List(string(names.SoulArea))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the souls: %w", err)
	}
	for _, e := range entries {
		if name := strings.TrimPrefix(e.Path, "soul/"); e.Mode == tree.Dir && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Acting returns the user who runs the command, for records of the forge.
func Acting(c *Console, cur workspace.Session) forge.Actor {
	name, email := cur.Repo.User()
	if id, ok := cur.Policies.Roles.ByEmail(email); ok {
		return forge.Actor{Name: id.Name, Email: email}
	}
	if agent := c.World.Getenv("ASSENT_AGENT"); agent != "" {
		return forge.Actor{Name: agent}
	}
	if email == "" && name == "" {
		return forge.Actor{Name: "unknown"}
	}
	return forge.Actor{Login: "", Name: strings.Join(strings.Fields(name), " "), Email: email}
}

// Person returns the user who runs a command, by Git's configuration: roles.yaml recognises
// proposers by address. again is the command to repeat once Git is configured.
func Person(w *workspace.Workspace, again string) (policy.Person, error) {
	name, email := w.Repo.User()
	var set []string
	if name == "" {
		set = append(set, "git config --global user.name 'YOUR NAME'")
	}
	if email == "" {
		set = append(set, "git config --global user.email YOU@YOUR.DOMAIN")
	}
	if len(set) > 0 {
		return policy.Person{}, &Failure{
			Code: ExitUsage, Err: errors.New("git does not know you: " + policy.RolesFile + " cannot name you, and you cannot propose"),
			Hint: strings.Join(set, "; ") + "; then " + again + " again",
		}
	}
	return policy.Person{Name: name, Email: email}, nil
}

// CheckAgent refuses an unknown agent: an empty answer would hide the mistake.
func CheckAgent(cur workspace.Session, agent string) error {
	known, err := AgentsIn(cur)
	if agent == "" || err != nil || slices.Contains(known, agent) {
		return err
	}
	return &Failure{Code: ExitUsage, Err: Unknown("agent", agent, "in this workspace"), Hint: "the agents are " + strings.Join(known, ", ")}
}

var sessionShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`) })

// CheckSession refuses an invalid session name; an empty one means no session.
func CheckSession(name string) error {
	if name != "" && !sessionShape().MatchString(name) {
		return Usage("the session %q (--session or ASSENT_SESSION): letters, digits and . _ : -, 128 at most", name)
	}
	return nil
}
