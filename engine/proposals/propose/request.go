package propose

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Request is one requested change.
type Request struct {
	Proposal proposal.Proposal
	// Edits are the files to change, with paths from the workspace's root.
	Edits []tree.Edit
	// Original, if set, is committed first: an imported skill as found, so that its bytes stay in
	// history whatever is adapted.
	Original []tree.Edit
	// LeftOut are paths of an imported skill that are not stored, not even in
	// Original; that commit's message names them.
	LeftOut []string
	// By is the proposer. Author is the author of the commits.
	By     forge.Actor
	Author gitstore.Person
	// Claimed reports that By is an unproven claim of a branch or of a run elsewhere: the author's
	// program may not be this user's.
	Claimed bool
	// Behind pushed Parent, if a service saw the accounts: see forge.Opening.
	Behind []forge.Actor
	// Origin is the source of the content.
	Origin provenance.Origin
	// Tool is the program that made the change, as claimed by the proposer; may be empty.
	Tool string
	// Parent, if set, is an existing commit (a pushed branch); it becomes the parent of the
	// proposal's commit, so that authorship is kept.
	Parent tree.Hash
	// Upon, if set, is the head that an update or extension was made for; on any other it is
	// refused as stale. An update's edits then apply to that head's files.
	Upon tree.Hash
	// Delete are files and folders that an update removes, from the proposal and from the content
	// in force.
	Delete []string
	// Drop reverts files of Parent that are not part of the change: the raw draft.
	Drop   []tree.Edit
	DryRun bool
	// Listed is what the changed servers listed in an earlier dry run. If nil, they are started in the workspace's
	// sandbox, except for the engine's own requests. Empty, it keeps the change exactly as it is.
	Listed *Listed
	// Listing is the time that servers took for earlier requests of a pass, which bounds it for all together; nil for one
	// request.
	Listing *time.Duration
	// file is the present path of the proposal's own file; a new one gets a path of the day.
	file string
	// joins is set for a part of a proposal that another proposer began.
	joins bool
	// Own are the ids of open proposals that count toward the proposer's limit, whichever engine opened them.
	Own map[string]bool
	// engine is set for the engine's own requests: see AsEngine.
	engine bool
}

// engineName is the author of the engine's own proposals. It has no role, so it counts for nothing
// and excludes no approver.
const engineName = "assent"

// AsEngine returns the request as the engine's own.
func (r Request) AsEngine(at time.Time) Request {
	r.engine, r.Proposal.Agent, r.By = true, engineName, forge.Actor{Name: engineName}
	r.Author = gitstore.Person{Name: engineName, Email: engineEmail, When: at}
	return r
}

// Who returns the proposer: the named agent, or the person with the repository's user.email. The
// error is an *Unknown for a name that is not listed here.
func Who(cur workspace.Session, agent string) (forge.Actor, gitstore.Person, error) {
	name, email := cur.Repo.User()
	person := gitstore.Person{Name: name, Email: email, When: cur.Now()}
	if agent == "" {
		id, ok := cur.Policies.Roles.ByEmail(email)
		if !ok {
			return forge.Actor{}, person, &Unknown{Email: email}
		}
		return forge.Actor{Name: id.Name, Email: email}, person, nil
	}
	if !Known(cur, agent) {
		return forge.Actor{}, person, &Unknown{Agent: agent, Agents: Agents(cur)}
	}
	person.Name, person.Email = agent, agent+"@agents.invalid"
	if id, ok := cur.Policies.Roles.ByName(agent); ok && len(id.Emails) > 0 {
		person.Email = id.Emails[0]
	}
	return forge.Actor{Name: agent, Email: person.Email}, person, nil
}

// Unknown says that the proposer cannot be determined.
type Unknown struct {
	Email string
	// Agent is the name that was given, Agents those that could be.
	Agent  string
	Agents []string
}

// Error says what to do.
func (u *Unknown) Error() string {
	if u.Agent != "" {
		return fmt.Sprintf("%q is no agent of this workspace (%s): name one of them with --agent (or ASSENT_AGENT), or have a proposal add it to policies/roles.yaml or soul/", excerpt(u.Agent), strings.Join(u.Agents, ", "))
	}
	if u.Email == "" {
		return "the proposer is unknown: name an agent with --agent (or ASSENT_AGENT), or set git config user.email"
	}
	return fmt.Sprintf("policies/roles.yaml lists the e-mail address %s for no person: name an agent with --agent (or ASSENT_AGENT)", u.Email)
}

// complete fills in the missing fields of the draft: kind, capability and goal follow from the
// edits.
func (r *Request) complete(cur workspace.Session) {
	p := &r.Proposal
	if p.Agent == "" {
		p.Agent = r.By.Name
	}
	touched := touchedBy(cur, r.Edits)
	if p.Capability == "" && len(touched.capabilities) == 1 {
		p.Capability = touched.capabilities[0]
	}
	if p.Kind == "" {
		p.Kind = touched.kind(p.Soul != nil)
	}
	//defence:goals-are-one-line
	p.Goal = strings.Join(strings.Fields(p.Goal), " ")
	if p.Goal == "" {
		p.Goal = string(p.Kind) + " " + touched.subject(p)
	}
	if strings.TrimSpace(p.Body) == "" {
		p.Body = "# Why\n\n" + p.Goal + "\n"
	}
}

// check returns the faults of a request, before anything is written.
func (r *Request) check(cur workspace.Session) diag.List {
	var out diag.List
	if r.Proposal.Agent != r.By.Name && r.By.Name != "" && !r.joins {
		if claimed, ok := cur.Policies.Roles.ByName(r.Proposal.Agent); ok && claimed.Kind == policy.KindHuman {
			out.Errorf(RuleAgent, diag.Pos{}, "propose under your own name", "%s cannot propose in the name of %s", r.By.Name, r.Proposal.Agent)
		}
	}
	//defence:agents-propose-as-themselves
	if r.file == "" && !r.joins && r.Proposal.Agent != r.By.Name && slices.Contains(Agents(cur), r.By.Name) {
		out.Errorf(RuleAgent, diag.Pos{}, "leave agent: out, or propose as "+excerpt(r.Proposal.Agent), "%s cannot propose in the name of %s", r.By.Name, excerpt(r.Proposal.Agent))
	}
	if r.file == "" && !r.engine && !Known(cur, r.Proposal.Agent) && !r.introduces() {
		out.Errorf(RuleAgent, diag.Pos{}, "write one of "+strings.Join(Agents(cur), ", ")+", or leave agent: out", "%q is no agent of this workspace", excerpt(r.Proposal.Agent))
	}
	if n := utf8.RuneCountInString(r.Proposal.Goal); n > maxGoal {
		out.Errorf(RuleGoal, diag.Pos{}, "say it in one line; the reasons go below # Why", "the goal has %d characters, the limit is %d", n, maxGoal)
	}
	//defence:goals-are-printable
	switch c, found := plaintext.Control(r.Proposal.Goal); { // it becomes the subject of commits, which terminals show
	case found && c == utf8.RuneError:
		out.Errorf(RuleGoal, diag.Pos{}, "write it in UTF-8", "the goal is not UTF-8")
	case found:
		out.Errorf(RuleGoal, diag.Pos{}, "leave the character out", "the goal holds the control character %U", c)
	}
	if len(r.Edits) == 0 && r.Proposal.Soul == nil && r.file == "" {
		out.Errorf(validate.RuleEmptyChange, diag.Pos{}, "add files (--files DIR, or fences with file=PATH in the draft), or a soul: edit",
			"the proposal changes no file")
	}
	return out
}

// introduces reports whether the request only adds its proposer to the roles. Only this is open to
// a person who is not listed yet.
func (r *Request) introduces() bool {
	if len(r.Edits) != 1 || r.Edits[0].Path != policy.RolesFile || len(r.Original) > 0 || r.Proposal.Soul != nil || r.Proposal.Agent != r.By.Name {
		return false
	}
	after, _ := policy.Load(tree.MapOf(map[string]string{policy.RolesFile: string(r.Edits[0].Content)}))
	id, listed := after.Roles.ByName(r.By.Name)
	return listed && id.Kind == policy.KindHuman && slices.Contains(id.Emails, r.By.Email)
}

// maxGoal bounds a goal, which titles pull requests and lists, in characters.
const maxGoal = 1200

// excerpt returns the beginning of an untrusted name.
func excerpt(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
