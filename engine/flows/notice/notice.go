package notice

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Version is the version of a notice's form.
const Version = 1

// The events.
const (
	Waiting = "waiting" // a person must act
	Merged  = "merged"
	Refused = "refused" // validation or a person refuses it
	Task    = "task"    // a task of a run waits for a role
	Told    = "told"    // a workflow's message
	Ended   = "ended"   // a run has completed, failed, or was cancelled
	Trial   = "trial"   // sent by assent notify test
)

// Events are those that a target can ask for.
func Events() []string { return []string{Waiting, Merged, Refused, Task, Told, Ended} }

// Notice is the JSON object for a target. All of its text is untrusted: escape it before
// display.
type Notice struct {
	V         int    `json:"v"`
	Event     string `json:"event"`
	Workspace string `json:"workspace"`
	Proposal  string `json:"proposal"`
	Head      string `json:"head"`
	Goal      string `json:"goal"`
	Kind      string `json:"kind"`
	Agent     string `json:"agent"`
	Risk      string `json:"risk"`
	State     string `json:"state"`
	// Reasons are those that decide at present.
	Reasons []string `json:"reasons"`
	// For are the recipients: the people who must act, else proposer and requester.
	For []Person `json:"for"`
	// Link is the proposal's page, empty on the local forge; Run is the command that shows
	// what to do.
	Link string    `json:"link"`
	Run  string    `json:"run"`
	At   time.Time `json:"at"`
	// Of is the id of the run that it is about, and Job its job; empty for proposals.
	Of  string `json:"of,omitempty"`
	Job string `json:"job,omitempty"`
	// Round distinguishes requests for approval of the same head.
	Round string `json:"-"`
}

// Person is a recipient, with the names by which they can be reached.
type Person struct {
	Name   string            `json:"name"`
	Role   string            `json:"role"`
	Emails []string          `json:"emails"`
	Logins map[string]string `json:"logins"`
}

// Of returns the notice for the state of a proposal; ok is false if the state needs none.
func Of(c gate.Case, v policy.Verdict, risk policy.Risk) (n Notice, ok bool) {
	state, f := gate.State(c, v), c.Facts()
	n = Notice{
		V: Version, Workspace: c.Workspace, Proposal: c.Pull.ID, Head: c.Pull.Head.String(), Goal: c.Pull.Title,
		Kind: f.Kind, Agent: f.Agent, Risk: risk.Tier.String(), State: string(state), Reasons: v.Reasons(), For: []Person{},
		Link: c.Pull.URL, Run: "assent review " + names.ShellWord(c.Pull.ID), At: c.Now.UTC(), Round: strconv.FormatInt(f.RequestedAt.Unix(), 10),
	}
	proposer := func() {
		for _, name := range []string{f.Agent, f.For} {
			if name != "" {
				n.For = append(n.For, person(c.Policies.Roles, name, policy.RoleProposer))
			}
		}
		n.Run = "assent why " + names.ShellWord(c.Pull.ID)
	}
	switch state {
	case proposal.Waiting:
		n.Event = Waiting
		for _, w := range v.WaitingFor {
			for _, name := range slices.Concat(w.Who, w.Part) {
				if !slices.ContainsFunc(n.For, func(p Person) bool { return p.Name == name }) {
					n.For = append(n.For, person(c.Policies.Roles, name, w.Role))
				}
			}
		}
	case proposal.ChangesRequested, proposal.Conflicted, proposal.Expired, proposal.Approved:
		n.Event = Waiting
		proposer()
	case proposal.Merged:
		n.Event = Merged
		proposer()
		n.Run = "assent show " + names.ShellWord(c.Pull.ID)
	case proposal.Refused, proposal.Rejected:
		n.Event = Refused
		proposer()
	default:
		return n, false
	}
	return n, true
}

func person(r policy.Roles, name, role string) Person {
	p := Person{Name: name, Role: role, Emails: []string{}, Logins: map[string]string{}}
	if id, ok := r.ByName(name); ok {
		p.Emails = append(p.Emails, id.Emails...)
		for forge, login := range id.Logins {
			p.Logins[forge] = login
		}
	}
	return p
}

// Key identifies one delivery: to this target, about this state of this head, for this
// person. Without recipients, the person is empty.
func (n Notice) Key(t Target, person string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{t.Name, n.Event, n.State, n.Proposal + n.of(), n.Head, n.Round, person}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// of names the run and job of a notice, apart from all proposals.
func (n Notice) of() string {
	if n.Of == "" {
		return ""
	}
	return "\x01" + n.Of + "/" + n.Job
}

// Keys returns the keys for all recipients of a notice.
func (n Notice) Keys(t Target) []string {
	if len(n.For) == 0 {
		return []string{n.Key(t, "")}
	}
	var out []string
	for _, p := range n.For {
		out = append(out, n.Key(t, p.Name))
	}
	return out
}

// Only returns the notice for the recipients with fresh keys; ok is false if there are
// none.
func (n Notice) Only(t Target, fresh func(key string) bool) (Notice, bool) {
	if len(n.For) == 0 {
		return n, fresh(n.Key(t, ""))
	}
	n.For = slices.DeleteFunc(slices.Clone(n.For), func(p Person) bool { return !fresh(n.Key(t, p.Name)) })
	return n, len(n.For) > 0
}
