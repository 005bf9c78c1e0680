package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/agents/project"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Open finds the workspace of -C or the current folder, or the one that the project there is connected
// to. It uses no network.
func (c *Console) Open() (*workspace.Workspace, error) {
	repo, from, err := project.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	w := workspace.Of(repo, workspace.Surroundings{
		Now: c.World.Now, Random: c.World.Random, Say: c.Progress, Client: c.World.Getenv("ASSENT_SESSION"), PolicyCache: c.PolicyCache,
		Attester: func(s workspace.Session) ssh.Signer { return attester(c, s) },
		Proposer: func(s workspace.Session, by forge.Actor) ssh.Signer { return proposalKey(c, s, by) },
		Runner:   func(s workspace.Session) ssh.Signer { return runner(c, s) },
		Second: func(ctx context.Context, id string, files []scan.File, found diag.List) (string, advice.Answer, bool, error) {
			return secondOpinion(ctx, c, id, files, found)
		},
		Prove: func(ctx context.Context, s workspace.Session, ex workspace.Examined) ([]proof.Trial, string, error) {
			return proveHere(ctx, c, s, ex)
		},
		Sandbox: func(ctx context.Context) (sandbox.Runner, error) { return sandbox.New(ctx) },
		Secret: func(s workspace.Session, name string) (string, bool, error) {
			return keys.SecretOf(s.ID(), name, c.World.Getenv)
		},
		Workers: c.Workers, Again: c.Again,
	})
	c.Opened, c.Project = w, from
	if _, err := connect.Offline(w, c.World.Getenv); err != nil {
		return nil, err
	}
	return w, nil
}

// Again is Join beside other work of the process, with keys of its own.
func (c *Console) Again(ctx context.Context) (w *workspace.Workspace, closed func(), err error) {
	beside := *c
	beside.attesting, beside.running, beside.proposing = &attestingKey{}, &attestingKey{}, map[string]*keys.Signer{}
	w, err = beside.Join(ctx)
	return w, beside.Close, err
}

// Join is Open for commands that change shared state: on a service, it logs in and reads others'
// changes.
func (c *Console) Join(ctx context.Context) (*workspace.Workspace, error) {
	w, err := c.Open()
	if err != nil {
		return nil, err
	}
	_, err = connect.Online(ctx, w, c.World.Getenv)
	return w, err
}

// Reach is Open for commands that exchange with the remote by Git alone.
func (c *Console) Reach(ctx context.Context) (*workspace.Workspace, error) {
	w, err := c.Open()
	if err != nil {
		return nil, err
	}
	s, err := connect.ServiceOf(w.Repo)
	if err != nil {
		return nil, err
	}
	return w, connect.Admit(ctx, w.Repo, s, c.World.Getenv)
}

// Watch is Join for read-only commands: if the service cannot be asked, they show the local state,
// and say so.
func (c *Console) Watch(ctx context.Context) (*workspace.Workspace, error) {
	w, err := c.Open()
	if err != nil {
		return nil, err
	}
	if _, err := connect.Online(ctx, w, c.World.Getenv); err != nil {
		c.Offline(err)
	}
	return w, nil
}

// Offline says why an answer holds only the local state, and the remedy.
func (c *Console) Offline(err error) {
	f := Classify(err)
	c.Unasked = Sentence(f)
	c.Complain("%s", c.Style.Warn("this is the local state; the service was not asked: "+c.Unasked))
	if f.Hint != "" {
		c.Complain("%s %s", c.Style.Dim("hint:"), OneLine(f.Hint))
	}
}

// DefaultRemote is where clone takes things from.
const DefaultRemote = "origin"

// HasRemote reports whether there is a remote that assent push and assent pull mean by default.
func HasRemote(w *workspace.Workspace) bool {
	return w.Repo.Config("remote."+DefaultRemote+".url") != ""
}

// Target opens the workspace and finds the proposal that an argument means.
func (c *Console) Target(ctx context.Context, arg string) (workspace.Session, forge.Pull, error) {
	cur, err := c.Joined(ctx)
	if err != nil {
		return cur, forge.Pull{}, err
	}
	pull, err := propose.Resolve(ctx, cur.Workspace, arg)
	return cur, pull, err
}

// Shown is Target for commands that only look.
func (c *Console) Shown(ctx context.Context, arg string) (workspace.Session, forge.Pull, error) {
	cur, err := c.Consulted(ctx)
	if err != nil {
		return cur, forge.Pull{}, err
	}
	pull, err := propose.Resolve(ctx, cur.Workspace, arg)
	return cur, pull, err
}

// Current opens the workspace and observes the state in force here.
func (c *Console) Current(ctx context.Context) (workspace.Session, error) {
	w, err := c.Open()
	return observed(ctx, c, w, err)
}

// Joined is Current for commands that change shared state.
func (c *Console) Joined(ctx context.Context) (workspace.Session, error) {
	w, err := c.Join(ctx)
	return observed(ctx, c, w, err)
}

// Consulted is Current for commands that read shared state: if the service fails, they use the
// local state, and say so.
func (c *Console) Consulted(ctx context.Context) (workspace.Session, error) {
	w, err := glance(ctx, c)
	return observed(ctx, c, w, err)
}

// Looked is Consulted for commands that show the state of the workspace: they continue at a break,
// where others stop.
func (c *Console) Looked(ctx context.Context) (workspace.Session, error) {
	w, err := glance(ctx, c)
	if err != nil {
		return workspace.Session{}, err
	}
	cur, _, err := w.Look(ctx)
	return cur, unconnected(c, err)
}

// glance is Watch, with a forge that does without answers of its service.
func glance(ctx context.Context, c *Console) (*workspace.Workspace, error) {
	w, err := c.Watch(ctx)
	if err != nil {
		return nil, err
	}
	w.Forge = w.Forge.Glancing(c.Offline)
	return w, nil
}

func observed(ctx context.Context, c *Console, w *workspace.Workspace, err error) (workspace.Session, error) {
	if err != nil {
		return workspace.Session{}, err
	}
	cur, err := w.Session(ctx)
	return cur, unconnected(c, err)
}

// unconnected adds to the error of a repository that is no workspace which setting names it, or how to choose the one that
// its file proposes.
func unconnected(c *Console, err error) error {
	if !errors.Is(err, attest.ErrNoGenesis) && !errors.Is(err, attest.ErrNoMain) {
		return err
	}
	if c.Project != "" {
		err = fmt.Errorf("the Git setting %s of %s points to %s, which is not a workspace: %w", project.Setting, c.Project, c.Opened.Repo.Top(), err)
		return &Failure{Code: ExitUsage, Err: err, Hint: "point it to a workspace (absolute, or relative to the project's root): git config " + project.Setting + " DIR"}
	}
	file := filepath.Join(c.Opened.Repo.Top(), project.File)
	if _, missing := os.Lstat(file); missing != nil {
		return err
	}
	return &Failure{Code: ExitUsage, Err: err, Hint: file + " names its workspace: assent connect CLIENT takes it; or git config " + project.Setting + " DIR"}
}
