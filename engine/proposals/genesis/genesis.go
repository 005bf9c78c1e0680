package genesis

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Plan is the planned additions to a repository.
type Plan struct {
	// Add are the missing files, Keep the paths of the template that exist already and stay.
	Add  []tree.Edit
	Keep []string
	// Existing counts the governed files that the repository had before.
	Existing int
	// Parent is main's tip, zero for a new repository.
	Parent tree.Hash
	// Diagnostics of the first tree. Errors in existing files are reported and do not stop it:
	// beginning loses nothing.
	Diagnostics diag.List
	// Roles and Limits are those that would be in force.
	Roles  policy.Roles
	Limits policy.Limits
	top    tree.Hash
	result tree.Hash
}

// ErrAlready means that the repository is a workspace already.
var ErrAlready = errors.New("this repository is an assent workspace already")

// ErrMainLost says that a workspace's proposals are here and its main is not. To
// begin again would leave everything that was in force behind.
var ErrMainLost = errors.New("the repository holds the proposals of a workspace whose main is gone")

// Decide compares a template with main.
func Decide(ctx context.Context, w *workspace.Workspace, template []tree.Edit) (Plan, error) {
	var p Plan
	_, err := w.Session(ctx)
	switch {
	case err == nil:
		return p, ErrAlready
	case errors.Is(err, attest.ErrNoMain), errors.Is(err, attest.ErrNoGenesis):
	default:
		return p, err
	}
	if pulls, err := w.Record.List(ctx, forge.Filter{}); err != nil || len(pulls) > 0 {
		return p, errors.Join(ErrMainLost, err)
	}
	tip, err := w.Repo.Ref(attest.MainRef)
	if err == nil {
		c, err := w.Repo.Commit(tip)
		if err != nil {
			return p, fmt.Errorf("read main: %w", err)
		}
		p.Parent, p.top = tip, c.Tree
	} else if !errors.Is(err, gitstore.ErrNoRef) {
		return p, fmt.Errorf("read main: %w", err)
	}
	if err := p.compare(w, template); err != nil {
		return p, err
	}
	return p, p.check(w)
}

func (p *Plan) compare(w *workspace.Workspace, template []tree.Edit) error {
	view, err := w.Repo.Snapshot(p.top)
	if err != nil {
		return fmt.Errorf("read main: %w", err)
	}
	for _, e := range template {
		_, err := view.Lookup(e.Path)
		switch {
		case err == nil:
			p.Keep = append(p.Keep, e.Path)
		case errors.Is(err, fs.ErrNotExist):
			p.Add = append(p.Add, e)
		default:
			return fmt.Errorf("look for %s: %w", e.Path, err)
		}
	}
	changes, err := attest.Governed(w.Repo, tree.Hash{}, p.top)
	p.Existing = len(changes)
	return err
}

// check validates the tree that would begin the workspace as if all of it were new.
func (p *Plan) check(w *workspace.Workspace) error {
	var err error
	if p.result, err = w.Repo.WriteTree(p.top, p.Add); err != nil {
		return fmt.Errorf("write the first tree: %w", err)
	}
	view, err := w.Repo.Snapshot(p.result)
	if err != nil {
		return err
	}
	in := validate.Begin(view, workspace.Schedule)
	if err := workspace.Readable(in.Policies); err != nil {
		return fmt.Errorf("%s is there already: %w", policy.WorkspaceFile, err)
	}
	p.Roles, p.Limits = in.Policies.Roles, in.Policies.Limits
	outcome, err := validate.Run(in)
	p.Diagnostics = outcome.Report.Diagnostics
	return err
}

// Begin writes the genesis commit, signed by the person who begins, moves main to
// it, and pins it in that person's state.
func Begin(ctx context.Context, w *workspace.Workspace, p Plan, signer ssh.Signer, author gitstore.Person) (tree.Hash, error) {
	if err := ctx.Err(); err != nil {
		return tree.Hash{}, err
	}
	// The commit's hash names the workspace in signed records, so two that the same person begins
	// in the same second must differ.
	var nonce [16]byte
	if _, err := io.ReadFull(w.Random, nonce[:]); err != nil {
		return tree.Hash{}, fmt.Errorf("draw a random value: %w", err)
	}
	c := gitstore.Commit{Tree: p.result, Author: author, Committer: author, Message: "Begin the assent workspace\n\n" +
		"From here on, a change of soul/, skills/, proposals/, policies/ and workflows/\n" +
		"is in force only if it came by a merge that the gate allowed.\n\n" + attest.GenesisTrailer + ": 1\n" +
		"Assent-Nonce: " + hex.EncodeToString(nonce[:]) + "\n"}
	if !p.Parent.IsZero() {
		c.Parents = []tree.Hash{p.Parent}
	}
	commit, err := w.Repo.WriteCommit(c, func(payload []byte) (string, error) {
		armored, err := review.SignCommit(payload, signer)
		return string(armored), err
	})
	if err != nil {
		return commit, fmt.Errorf("write the genesis commit: %w", err)
	}
	if err := w.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, Old: p.Parent, New: commit, Reflog: "assent: begin the workspace"}); err != nil {
		return commit, fmt.Errorf("move main to the genesis commit: %w", err)
	}
	if err := w.Memory().Remember(ctx, commit); err != nil {
		return commit, fmt.Errorf("the workspace began, but it could not be pinned: %w", err)
	}
	if err := keys.Trust(commit.String(), keys.Unisolated); err != nil { // who begins a workspace accepts it
		return commit, err
	}
	return commit, nil
}

// Template filters the built-in instance for a new workspace: it keeps the souls of the named
// agents, makes the roles for the person who begins, and leaves out the proposals of the built-in
// instance, which are not this workspace's history.
func Template(files map[string][]byte, agents []string, roles []byte, soulFor func(agent string) []tree.Edit) []tree.Edit {
	var out []tree.Edit
	for _, path := range slices.Sorted(maps.Keys(files)) {
		switch {
		case path == "policies/roles.yaml", strings.HasPrefix(path, "soul/"), strings.HasPrefix(path, "proposals/"):
			continue
		}
		e := tree.Edit{Path: path, Content: files[path]}
		if strings.Contains(path, "/scripts/") {
			e.Mode = tree.Executable
		}
		out = append(out, e)
	}
	out = append(out, tree.Edit{Path: "policies/roles.yaml", Content: roles})
	for _, agent := range agents {
		own := false
		for path, content := range files {
			if strings.HasPrefix(path, "soul/"+agent+"/") {
				out, own = append(out, tree.Edit{Path: path, Content: content}), true
			}
		}
		if !own {
			out = append(out, soulFor(agent)...)
		}
	}
	order.Sort(out, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	return out
}
