package reconcile

import (
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/proposals/followup"
)

// The actions. The first five are built-in actions of workflows. The others need no
// workflow: an expiry follows from policies/limits.yaml, a merge made by the service is
// attested, a queued merge that is no longer allowed is removed from the queue, and a
// repair raises questions. DoStart and DoAdvance are about runs.
const (
	DoInbox    = workflow.Inbox
	DoHealth   = workflow.Health
	DoValidate = workflow.Validate
	DoMerge    = workflow.Merge
	DoGC       = workflow.GC
	DoExpire   = "expire"
	DoAttest   = "attest"
	DoStart    = "start"
	DoAdvance  = "advance"
	DoUnqueue  = "unqueue"
	DoShow     = "show"      // update what a service's page shows of a proposal
	DoAsk      = "follow-up" // whether a skill is still needed after a repair
)

// CommandWord is the word of `on: {command: …}` that every pass triggers.
const CommandWord = "reconcile"

// Observation is the workspace at one instant, as far as the decision needs it.
type Observation struct {
	Now time.Time
	// Last is when the previous pass began; zero if there was none. Merged says that main
	// moved since then.
	Last   time.Time
	Merged bool
	// Since replaces a zero Last for the schedules of direct workflows; zero if the caller
	// gave none.
	Since time.Time
	// Main is the tip of main, InForce the commit in force.
	Main      tree.Hash
	InForce   tree.Hash
	Workflows []workflow.Workflow
	// Inbox are the branches that wait to be materialised, and Pulls the open
	// proposals, each sorted by name.
	Inbox []Branch
	Pulls []Pull
	// Damaged are unreadable open proposals; nothing is decided about them.
	Damaged []*forge.Damaged
	// Ended are the merged and rejected proposals, nil if no workflow has such an event.
	// Known are those that the previous pass knew.
	Ended []forge.Pull
	Known known
	// Starts are runs that events call for and that are not there, Runs those that go on
	// and have something to be done, each sorted by id.
	Starts []task.Beginning
	Runs   []Due
	// Work counts what active runs do.
	Work Work
	// Questions are the questions that repairs raise.
	Questions []followup.Question
	// Queues says that the service may hold queued merges.
	Queues bool
	// runner is the key that signs results of required checks, nil for none.
	runner ssh.Signer
	// Tried are actions that were carried out in this pass, with whether they
	// succeeded. They are not tried again on the same content.
	Tried map[Key]bool
}

// Branch is one branch below inbox/.
type Branch struct {
	Name   string // such as inbox/scout/parse-csv
	Commit tree.Hash
}

// Pull is one open proposal.
type Pull struct {
	ID   string
	Head tree.Hash
	// Pushed is the newest head that was pushed after the opening by anyone but the engine;
	// zero if there is none.
	Pushed tree.Hash
	// There is the commit by which the service itself merged the proposal; zero if it did
	// not.
	There tree.Hash
	// Opened says that the proposal has no report yet; Reported that the newest report is
	// on this head and this main.
	Opened, Reported bool
	Approved         bool
	Conflicted       bool
	// Held says that a run works on the proposal, and may merge it itself. Made says that a run may have opened it.
	Held, Made bool
	// Checks are the required checks that lack a result, Required the workflows of all that the policies require of some
	// proposals.
	Checks   []policy.CheckStatus
	Required []string
	// Page is the hash of the text that its page should show, if it shows another; else
	// zero.
	Page tree.Hash
	// Expired says that no decision was made within the limit.
	Expired bool
	// State is the proposal's state, for metrics.
	State proposal.State
}

// collection is the subject of actions about all capabilities in force.
const collection = "capabilities"

// Action is one action on one subject: a branch, a proposal, a run or all capabilities.
type Action struct {
	Do      string
	Subject string
	// Content is what the decision was based on: the branch's commit or the head.
	Content tree.Hash
	// Workflow is the one that called for it, or "".
	Workflow string
	// Begin is the run to start, for DoStart.
	Begin *task.Beginning
	// Ask is the question, for DoAsk.
	Ask *followup.Question
}

// Key identifies an action on one exact content. For DoAttest, Main is the commit in force:
// of several merges made by a service, one after the other comes into force.
type Key struct {
	Do, Subject   string
	Content, Main tree.Hash
}

// key of an action; a merge or validation counts for one main only.
func (o Observation) key(a Action) Key {
	k := Key{Do: a.Do, Subject: a.Subject, Content: a.Content}
	switch a.Do {
	case DoInbox, DoHealth:
	case DoAttest:
		k.Main = o.InForce
	default:
		k.Main = o.Main
	}
	return k
}

// Next returns when a cron expression fires next after t; false for one that
// never does.
type Next func(expression string, t time.Time) (time.Time, bool)

// Decide returns the actions to take now: at most one for each subject, in a fixed order.
// It is deterministic. Once the actions are done or were tried, it does not return them
// again.
func Decide(o Observation, next Next) []Action {
	d := decision{Observation: o, busy: map[string]bool{}}
	d.Pulls = nil
	for _, p := range o.Pulls {
		if p.There.IsZero() {
			d.Pulls = append(d.Pulls, p)
			continue
		}
		d.add(Action{Do: DoAttest, Subject: p.ID, Content: p.There}) // nothing else can be done with it
	}
	for _, p := range d.Pulls {
		if d.Queues && !p.Approved {
			d.add(Action{Do: DoUnqueue, Subject: p.ID, Content: p.Head})
		}
	}
	for _, p := range d.Pulls {
		if p.Expired {
			d.add(Action{Do: DoExpire, Subject: p.ID, Content: p.Head})
		}
	}
	for _, e := range o.events(next) {
		d.plan(e, "")
	}
	for _, b := range o.Starts {
		d.add(Action{Do: DoStart, Subject: runSubject(task.ID(b)), Workflow: b.Workflow.Name, Begin: &b})
	}
	for _, r := range o.Runs {
		d.add(Action{Do: DoAdvance, Subject: runSubject(r.ID), Content: r.At, Workflow: r.Workflow})
	}
	for _, p := range d.Pulls {
		switch {
		case p.Opened:
			d.plan(workflow.Event{Name: workflow.ProposalOpened}, p.ID)
		case !p.Reported:
			d.plan(workflow.Event{Name: workflow.ProposalUpdated}, p.ID)
		}
		if p.Approved {
			d.plan(workflow.Event{Name: workflow.ProposalApproved}, p.ID)
		}
		if !p.Page.IsZero() && p.Reported {
			d.add(Action{Do: DoShow, Subject: p.ID, Content: p.Page})
		}
	}
	for _, q := range o.Questions {
		d.add(Action{Do: DoAsk, Subject: q.Skill.Path, Content: tree.BlobHash([]byte(q.ID())), Ask: &q})
	}
	return d.actions
}

// events are those that concern the workspace as a whole.
func (o Observation) events(next Next) []workflow.Event {
	out := []workflow.Event{{Name: workflow.Command, Value: CommandWord}}
	if o.Merged {
		out = append(out, workflow.Event{Name: workflow.ProposalMerged})
	}
	for _, w := range o.Workflows {
		if w.On.Schedule != "" && o.due(w.On.Schedule, next) {
			out = append(out, workflow.Event{Name: workflow.Schedule, Value: w.On.Schedule})
		}
	}
	return out
}

// due reports whether a schedule fired since the last pass. Without a previous pass, every
// schedule is due.
func (o Observation) due(expression string, next Next) bool {
	if o.untimed() {
		return true
	}
	last := o.Last
	if last.IsZero() {
		last = o.Since
	}
	at, ok := next(expression, last)
	return ok && !at.After(o.Now)
}

// untimed reports whether the time of the previous pass is unknown. Scheduled tests then
// wait for their next time; otherwise passes that each run in a new clone would all run
// them.
func (o Observation) untimed() bool { return o.Last.IsZero() && o.Since.IsZero() }

// decision collects actions.
type decision struct {
	Observation
	actions []Action
	busy    map[string]bool // subjects that have their action
}

func (d *decision) add(a Action) {
	if _, tried := d.Tried[d.key(a)]; tried || d.busy[a.Subject] {
		return
	}
	d.busy[a.Subject] = true
	d.actions = append(d.actions, a)
}

// plan adds the actions of workflows for an event, about one proposal or, if id is empty,
// about all.
func (d *decision) plan(e workflow.Event, id string) {
	steps := workflow.Plan(d.Workflows, e)
	for _, s := range steps {
		if s.Uses == DoHealth && e.Name == workflow.Schedule && d.untimed() {
			continue
		}
		for _, a := range d.actionsOf(s, id) {
			if d.mayFollow(s, steps, a) {
				d.add(a)
			}
		}
	}
}

// actionsOf returns the actions of a step, one for each subject that it applies to.
func (d *decision) actionsOf(s workflow.Step, id string) []Action {
	var out []Action
	if s.Uses == DoHealth {
		out = append(out, Action{Do: DoHealth, Subject: healthSubject, Workflow: s.Workflow})
	}
	if s.Uses == DoInbox {
		for _, b := range d.Inbox {
			out = append(out, Action{Do: DoInbox, Subject: b.Name, Content: b.Commit, Workflow: s.Workflow})
		}
	}
	if s.Uses == DoGC {
		out = append(out, Action{Do: DoGC, Subject: collection, Content: d.InForce, Workflow: s.Workflow})
	}
	for _, p := range d.Pulls {
		wanted := s.Uses == DoValidate && !p.Reported && !p.Conflicted || s.Uses == DoMerge && p.Approved && !p.Held
		if wanted && (id == "" || p.ID == id) {
			out = append(out, Action{Do: s.Uses, Subject: p.ID, Content: p.Head, Workflow: s.Workflow})
		}
	}
	return out
}

// mayFollow reports whether no step that s needs has failed for this subject. Needed steps
// that are not done yet come first anyway, because a subject has one action at a time.
func (d *decision) mayFollow(s workflow.Step, all []workflow.Step, a Action) bool {
	for _, need := range s.Needs {
		for _, earlier := range all {
			if earlier.Workflow != s.Workflow || earlier.Job != need {
				continue
			}
			before := a
			before.Do = earlier.Uses
			if ok, tried := d.Tried[d.key(before)]; tried && !ok {
				return false
			}
		}
	}
	return true
}
