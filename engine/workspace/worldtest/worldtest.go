// Package worldtest makes small workspaces for tests: one human, Ada, whose key is at hand, and
// agents, with the policies of the built-in instance. All parts are real; the clock advances on
// its own.
package worldtest

import (
	"bytes"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// World is a workspace of one human and some agents, made as `init` does.
type World struct {
	*testing.T
	*workspace.Workspace
	// Attester signs the records of merges; nil leaves them unsigned.
	Attester ssh.Signer
	// Ada is the human's key.
	Ada *keys.Signer
	// Clock is the last time returned; Tick adds a minute.
	Clock time.Time
	tick  sync.Mutex
	// Agents propose; the first one is the default.
	Agents []string
}

// New makes a workspace in a folder of its own, with its own memory.
func New(t *testing.T, agents ...string) *World {
	t.Helper()
	return NewWith(t, func(map[string][]byte) {}, agents...)
}

// Untested removes the requirement of tests from the policies, and the scenarios that need it:
// then any capability can be in force.
func Untested(policies map[string][]byte) {
	const file = "policies/security.yaml"
	policies[file] = bytes.Replace(policies[file], []byte("required: [tool, mcp]"), []byte("required: []"), 1)
	delete(policies, "policies/scenarios/tiers.yaml")
}

// NewWith is New with changed policies: contents by path.
func NewWith(t *testing.T, change func(policies map[string][]byte), agents ...string) *World {
	t.Helper()
	t.Setenv("ASSENT_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	repo, err := gitstore.Init(t.TempDir())
	d := &World{T: t, Clock: time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC), Agents: agents}
	d.OK(err)
	d.Workspace = workspace.Of(repo, d.Surroundings())
	d.Ada = d.Key("ada")
	plan, err := genesis.Decide(t.Context(), d.Workspace, d.template(change))
	d.OK(err)
	for _, diag := range plan.Diagnostics {
		t.Errorf("the template: %s", diag)
	}
	_, err = genesis.Begin(t.Context(), d.Workspace, plan, d.Ada, gitstore.Person{Name: "Ada", Email: "ada@example.org", When: d.Tick()})
	d.OK(err)
	return d
}

// template has the policies of the built-in instance and new souls.
func (d *World) template(change func(map[string][]byte)) []tree.Edit {
	d.Helper()
	roles, err := policy.InitialRoles(policy.Person{Name: "Ada", Email: "ada@example.org", PublicKey: d.Ada.AuthorizedKey()}, d.Agents)
	d.OK(err)
	files := map[string][]byte{}
	d.OK(fs.WalkDir(assent.Template, "policies", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files[path], err = fs.ReadFile(assent.Template, path)
		return err
	}))
	change(files)
	return genesis.Template(files, d.Agents, roles, func(agent string) []tree.Edit {
		edits, diags := capability.ScaffoldSoul(agent, capability.ScaffoldOptions{})
		if diags.HasErrors() {
			d.Fatal(diags)
		}
		return edits
	})
}

// OK ends the test when the world failed.
func (d *World) OK(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// Tick is the workspace's clock: a minute at each look. Several may look at once.
func (d *World) Tick() time.Time {
	d.tick.Lock()
	defer d.tick.Unlock()
	d.Clock = d.Clock.Add(time.Minute)
	return d.Clock
}

// Surroundings are passed to the workspace.
func (d *World) Surroundings() workspace.Surroundings {
	return workspace.Surroundings{Now: d.Tick, Random: rand.Reader, Attester: func(workspace.Session) ssh.Signer { return d.Attester }}
}

// Key makes a key that no policy lists yet.
func (d *World) Key(name string) *keys.Signer {
	d.Helper()
	path := filepath.Join(d.TempDir(), name)
	_, err := keys.Generate(path, name, nil)
	d.OK(err)
	s, err := keys.Load(path, nil)
	d.OK(err)
	return s
}

// Request asks for edits in the name of the first agent.
func (d *World) Request(edits []tree.Edit) propose.Request {
	who := d.Agents[0]
	return propose.Request{
		Proposal: proposal.Proposal{Goal: "learn to tie a knot"}, Edits: edits, By: forge.Actor{Name: who},
		Author: gitstore.Person{Name: who, Email: who + "@agents.invalid", When: d.Tick()},
	}
}

// Main is where the branch main is.
func (d *World) Main() tree.Hash {
	d.Helper()
	h, err := d.Repo.Ref(attest.MainRef)
	d.OK(err)
	return h
}

// Commit writes a commit of a person without a role, whose tree is the first parent's
// with edits.
func (d *World) Commit(message string, parents []tree.Hash, edits ...tree.Edit) tree.Hash {
	d.Helper()
	var top tree.Hash
	if len(parents) > 0 {
		c, err := d.Repo.Commit(parents[0])
		d.OK(err)
		top = c.Tree
	}
	top, err := d.Repo.WriteTree(top, edits)
	d.OK(err)
	who := gitstore.Person{Name: "Mallory", Email: "mallory@example.org", When: d.Tick()}
	h, err := d.Repo.WriteCommit(gitstore.Commit{Tree: top, Parents: parents, Author: who, Committer: who, Message: message}, nil)
	d.OK(err)
	return h
}

// Straight commits to main past the gate.
func (d *World) Straight(subject string, edits ...tree.Edit) tree.Hash {
	d.Helper()
	h := d.Commit(subject+"\n", []tree.Hash{d.Main()}, edits...)
	d.OK(d.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, New: h, Any: true}))
	return h
}
