package workspace

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Workspace is one repository and its surroundings.
type Workspace struct {
	Repo  *gitstore.Repo
	Forge forge.Forge
	// Record is the journals of this repository, which Forge writes. Merges are judged again from
	// them alone.
	Record *local.Forge
	// Archive folds the journals of ended proposals; Runs are the journals of workflow runs.
	Archive local.Archive
	Runs    runlog.Log
	Surroundings

	policies *loaded
}

// Surroundings are the parts of the process that a workspace uses, fixed when it is opened.
// Reading requires only Now; changes need Random as well.
type Surroundings struct {
	// Now and Random are the clock and the source of ids and nonces.
	Now    func() time.Time
	Random io.Reader
	// PolicyCache keeps policies for other openings; nil begins with none.
	PolicyCache *PolicyCache
	// Client names the session of the agent's client that runs this process, "" if it is unknown. It
	// is a claim that can only exclude.
	Client string
	// Say reports long operations to a person; nil is silent.
	Say func(format string, args ...any)
	// Attester returns the key that signs a session's record of a merge. If the function or the
	// key is nil, the record is unsigned.
	Attester func(Session) ssh.Signer
	// Proposer returns the key that signs the commits of an agent's proposals; may be nil, too.
	Proposer func(s Session, by forge.Actor) ssh.Signer
	// Runner returns the key that signs results of scripts; may be nil, too.
	Runner func(Session) ssh.Signer
	// Second asks for a second opinion on content proposed to the workspace with this id. It
	// returns the reviewer's name and the answer; is is false if no reviewer is configured, and an
	// error says why there is no answer. Nil asks no one.
	Second func(ctx context.Context, id string, files []scan.File, found diag.List) (asked string, a advice.Answer, is bool, err error)
	// Sandbox isolates the scripts of workflows; without one that protects, none runs. Secret
	// returns a secret that was set up here, by name.
	Sandbox func(ctx context.Context) (sandbox.Runner, error)
	Secret  func(s Session, name string) (value string, ok bool, err error)
	// Workers is the number of scripts that run side by side; 0 is chosen by the machine. Again
	// opens the workspace once more for one of them, and returns how to close it; nil has them
	// share this one.
	Workers int
	Again   func(ctx context.Context) (w *Workspace, closed func(), err error)
	// Prove runs the tests of an examined proposal on this machine, or returns remembered
	// outcomes. unrun says why they could not be run. Nil runs nothing.
	Prove func(ctx context.Context, s Session, ex Examined) (trials []proof.Trial, unrun string, err error)
}

// Open finds the repository that holds dir.
func Open(dir string, s Surroundings) (*Workspace, error) {
	repo, err := gitstore.Open(dir)
	if err != nil {
		return nil, err
	}
	return Of(repo, s), nil
}

// Of is Open for a repository that is open already.
func Of(repo *gitstore.Repo, s Surroundings) *Workspace {
	record := local.New(repo)
	if s.PolicyCache == nil {
		s.PolicyCache = new(PolicyCache)
	}
	return &Workspace{Repo: repo, Forge: record, Record: record, Archive: record.Archive(), Runs: runlog.Of(repo), policies: new(loaded), Surroundings: s}
}

// Closely returns the same workspace with a forge that reads completely.
func (w *Workspace) Closely() *Workspace {
	out := *w
	out.Forge = w.Forge.Closely()
	return &out
}

// Closely returns the same session with a forge that reads completely.
func (s Session) Closely() Session {
	s.Workspace = s.Workspace.Closely()
	return s
}

// Session is a workspace and its state in force at one instant. Workspace.Session creates it
// complete, and it does not follow later merges.
type Session struct {
	*Workspace
	attest.Standing
	// View is the tree in force.
	View *View
	// Capabilities answers questions about all capabilities in force.
	Capabilities *Catalogue
	// Policies in force, and the findings about their files.
	Policies    policy.Policies
	PolicyDiags diag.List
	openPulls   *openProposals
	objections  *objections
	newest      judgement
}

// judgement is the newest merge that an observation judged; zero if it judged none.
type judgement struct {
	commit tree.Hash
	att    attest.Attestation
	ex     Examined
}

// Session observes the state in force and remembers it in the user's folder, so that a later
// rollback of main is noticed. A failure to remember does not fail the call: a read-only home only
// costs the memory.
//
// A reader without memory stops at a break (attest.Broken): the policies before it may be older
// than those in force for others, and nothing here can show that. One with memory goes on from the
// state it saw.
func (w *Workspace) Session(ctx context.Context) (Session, error) {
	cur, stopped, err := w.Look(ctx)
	if err == nil && stopped != nil {
		return Session{}, stopped
	}
	return cur, err
}

// Look is Session for commands that only show the state of the workspace. If Session would fail,
// the *attest.Broken says why, and no caller may act on the returned session.
func (w *Workspace) Look(ctx context.Context) (Session, *attest.Broken, error) {
	seen, err := w.Memory().seen()
	if err != nil {
		return Session{}, nil, err
	}
	var last judgement
	judge := func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		att, ex, err := w.Rejudge(ctx, before, c)
		if err == nil && att.Proposal != "" {
			last = judgement{c.Hash, att, ex}
		}
		return err
	}
	standing, err := attest.Observe(ctx, w.Repo, seen, judges(w, judge))
	if err != nil {
		return Session{}, nil, err
	}
	if err := w.Memory().samePlace(standing.Genesis); err != nil {
		return Session{}, nil, err
	}
	if seen.InForce.IsZero() { // no hint: find the memory by the genesis
		if seen, err = w.Memory().lastSeen(standing.Genesis); err != nil {
			return Session{}, nil, err
		}
		if !seen.InForce.IsZero() {
			if standing, err = attest.Observe(ctx, w.Repo, seen, judges(w, judge)); err != nil {
				return Session{}, nil, err
			}
		}
	}
	var stopped *attest.Broken
	//defence:newcomers-stop-at-a-break
	if b := standing.Halt(); b != nil && seen.InForce.IsZero() {
		stopped = &attest.Broken{At: *b}
	}
	if stopped == nil && (standing.InForce != seen.InForce || !w.Memory().hinted(standing.Genesis)) {
		_ = w.Memory().remember(ctx, standing)
	}
	cur, err := w.inForce(standing, stopped == nil)
	cur.newest = last
	return cur, stopped, err
}

// Rejudged is Session without memory: every merge since genesis is judged again.
func (w *Workspace) Rejudged(ctx context.Context, judge attest.Judge) (Session, error) {
	standing, err := attest.Observe(ctx, w.Repo, attest.Seen{}, judges(w, judge))
	if err != nil {
		return Session{}, err
	}
	return w.inForce(standing, false)
}

// At returns the workspace as it was when a commit was in force, by its files.
func (w *Workspace) At(standing attest.Standing) (Session, error) {
	view, err := w.Repo.Snapshot(standing.InForce)
	if err != nil {
		return Session{}, fmt.Errorf("read what is in force: %w", err)
	}
	policies, diags := w.PoliciesAt(view)
	all := w.catalogue(view, standing.Genesis, false)
	return Session{Workspace: w, Standing: standing, View: &View{view, all}, Capabilities: all, Policies: policies, PolicyDiags: diags, openPulls: &openProposals{}, objections: w.policies.objectionsNow()}, nil
}

// ID is the workspace's name in signed records.
func (s Session) ID() string { return s.Genesis.String() }

// Signer returns the key that signs this session's record of a merge; nil for none.
func (s Session) Signer() ssh.Signer {
	if s.Attester == nil {
		return nil
	}
	return s.Attester(s)
}

// ProposalKey returns the key that signs the commits of an agent's proposals; nil for none.
func (s Session) ProposalKey(by forge.Actor) ssh.Signer {
	if s.Proposer == nil {
		return nil
	}
	return s.Proposer(s, by)
}
