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
	// Record is the journals of this repository, which Forge writes: what is judged
	// again is judged from them alone.
	Record *local.Forge
	// Archive folds the journals of ended proposals, Runs are those of the runs of workflows.
	Archive local.Archive
	Runs    runlog.Log
	Surroundings

	policies *loaded
}

// Surroundings are what a workspace takes from the process. They are given when it is
// made. Only Now is required of a workspace that is read; a change needs Random as well.
type Surroundings struct {
	// Now and Random are the clock and the source of ids and nonces.
	Now    func() time.Time
	Random io.Reader
	// Say reports long operations to a person; nil is silent.
	Say func(format string, args ...any)
	// Attester returns the key that signs what a session records of a merge. A nil
	// function, or a nil key, leaves it unsigned.
	Attester func(Session) ssh.Signer
	// Proposer returns the key that signs the commits of an agent's proposals, likewise.
	Proposer func(s Session, by forge.Actor) ssh.Signer
	// Second asks for a second opinion on what is proposed to the workspace of an id: who
	// was asked, and the answer. is is false if no one is configured; an error says why
	// there is no answer. Nil asks no one.
	Second func(ctx context.Context, id string, files []scan.File, found diag.List) (asked string, a advice.Answer, is bool, err error)
	// Sandbox isolates the scripts of workflows, and Secret gives them what was set up here
	// by its name. Where Sandbox is nil, or does not protect, none runs.
	Sandbox func(ctx context.Context) (sandbox.Runner, error)
	Secret  func(name string) (value string, ok bool, err error)
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

// Session is a workspace and what is in force in it at one instant. It is complete when
// it is created, by Workspace.Session, and does not follow later merges.
type Session struct {
	*Workspace
	attest.Standing
	// View is the tree in force.
	View *View
	// Capabilities answers questions about all capabilities in force.
	Capabilities *Catalogue
	// Policies in force, and what is wrong with their files.
	Policies    policy.Policies
	PolicyDiags diag.List
	openPulls   *openProposals
	rejected    *rejected
	newest      judgement
}

// judgement is the newest merge that an observation judged; zero if it judged none.
type judgement struct {
	commit tree.Hash
	att    attest.Attestation
	ex     Examined
}

// Session observes what is in force, and remembers it in the user's state so that
// a later rollback of main is noticed. Failing to remember is no failure to read:
// a read-only home only costs the memory.
//
// A reader who remembers nothing stops at a break (attest.Broken): the policies before
// it may be older than those that others have in force, and it cannot find out. One that
// remembers goes on from what it saw.
func (w *Workspace) Session(ctx context.Context) (Session, error) {
	cur, stopped, err := w.Look(ctx)
	if err == nil && stopped != nil {
		return Session{}, stopped
	}
	return cur, err
}

// Look is Session for commands that only show the state of the workspace: where Session
// would stop, the *attest.Broken says why, and nothing may act upon what is returned.
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
	if seen.InForce.IsZero() { // the hint was missing: what is remembered is found by the genesis
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

// Anew is Session without memory: every merge since genesis is judged again.
func (w *Workspace) Anew(ctx context.Context, judge attest.Judge) (Session, error) {
	standing, err := attest.Observe(ctx, w.Repo, attest.Seen{}, judges(w, judge))
	if err != nil {
		return Session{}, err
	}
	return w.inForce(standing, false)
}

// At is the workspace as it stood when a commit was in force, as far as files tell.
func (w *Workspace) At(standing attest.Standing) (Session, error) {
	view, err := w.Repo.Snapshot(standing.InForce)
	if err != nil {
		return Session{}, fmt.Errorf("read what is in force: %w", err)
	}
	policies, diags := w.PoliciesAt(view)
	all := w.catalogue(view, standing.Genesis, false)
	return Session{Workspace: w, Standing: standing, View: &View{view, all}, Capabilities: all, Policies: policies, PolicyDiags: diags, openPulls: &openProposals{}, rejected: &rejected{}}, nil
}

// ID is the workspace's name in signed records.
func (s Session) ID() string { return s.Genesis.String() }

// Signer is the key that signs what this session records of a merge; nil for none.
func (s Session) Signer() ssh.Signer {
	if s.Attester == nil {
		return nil
	}
	return s.Attester(s)
}

// ProposalKey is the key that signs the commits of an agent's proposals; nil for none.
func (s Session) ProposalKey(by forge.Actor) ssh.Signer {
	if s.Proposer == nil {
		return nil
	}
	return s.Proposer(s, by)
}
