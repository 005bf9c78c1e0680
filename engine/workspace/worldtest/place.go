package worldtest

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Place is a workspace in a folder, with a clock that only the test moves. Each process opens it
// again, on a disk of its own if it is to be killed.
type Place struct {
	testing.TB
	Dir   string
	Clock time.Time
	Ada   *keys.Signer
	// Given is passed to every process besides the clock.
	Given workspace.Surroundings
}

// Begin makes a workspace with one human, ada, whose key is the user's, and the named agents. It
// holds the edits and, of the policies, only roles.
func Begin(t testing.TB, agents []string, edits ...tree.Edit) *Place {
	t.Helper()
	return BeginIn(t, agents, nil, edits...)
}

// BeginIn is Begin in a repository that held other files before.
func BeginIn(t testing.TB, agents []string, before []tree.Edit, edits ...tree.Edit) *Place {
	t.Helper()
	t.Setenv("ASSENT_HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	p := &Place{TB: t, Dir: t.TempDir(), Clock: time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)}
	repo, err := gitstore.Init(p.Dir)
	p.OK(err)
	path, err := keys.Path(keys.DefaultName)
	p.OK(err)
	_, err = keys.Generate(path, "test", nil)
	p.OK(err)
	p.Ada, err = keys.Load(path, nil)
	p.OK(err)
	roles, err := policy.InitialRoles(policy.Person{Name: "ada", Email: "ada@example.org", PublicKey: p.Ada.AuthorizedKey()}, agents)
	p.OK(err)
	if len(before) > 0 {
		content, err := repo.WriteTree(tree.Hash{}, before)
		p.OK(err)
		author := gitstore.Person{Name: "ada", Email: "ada@example.org", When: p.Clock}
		first, err := repo.WriteCommit(gitstore.Commit{Tree: content, Author: author, Committer: author, Message: "Begin\n"}, nil)
		p.OK(err)
		p.OK(repo.Update(gitstore.RefUpdate{Name: attest.MainRef, New: first}))
	}
	w := workspace.Of(repo, p.surroundings())
	plan, err := genesis.Decide(t.Context(), w, append([]tree.Edit{{Path: "policies/roles.yaml", Content: roles}}, edits...))
	p.OK(err)
	if plan.Diagnostics.HasErrors() {
		t.Fatal(plan.Diagnostics)
	}
	_, err = genesis.Begin(t.Context(), w, plan, p.Ada, gitstore.Person{Name: "ada", Email: "ada@example.org", When: p.Clock})
	p.OK(err)
	return p
}

// OK ends the test when the world failed.
func (p *Place) OK(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *Place) surroundings() workspace.Surroundings {
	s := p.Given
	s.Now, s.Random = func() time.Time { return p.Clock }, rand.Reader
	return s
}

// On is the workspace as another process sees it; a nil disk is a healthy one.
func (p *Place) On(disk gitstore.Disk) (*workspace.Workspace, error) {
	repo, err := gitstore.Open(p.Dir)
	if disk != nil {
		repo, err = gitstore.OpenOn(disk, p.Dir)
	}
	if err != nil {
		return nil, err
	}
	return workspace.Of(repo, p.surroundings()), nil
}

// Copied is the same place elsewhere.
func (p *Place) Copied(t testing.TB) *Place {
	t.Helper()
	q := &Place{TB: t, Dir: filepath.Join(t.TempDir(), "ws"), Clock: p.Clock, Ada: p.Ada, Given: p.Given}
	q.OK(os.CopyFS(q.Dir, os.DirFS(p.Dir)))
	return q
}

// Unlock removes the locks that a killed process left unclaimed, as doctor does in time.
func (p *Place) Unlock() {
	p.Helper()
	repo, err := gitstore.Open(p.Dir)
	p.OK(err)
	left, err := repo.StaleLocks()
	p.OK(err)
	for _, l := range left {
		p.OK(os.Remove(l.Path))
	}
}

// Pulls are all proposals that there are.
func (p *Place) Pulls() []forge.Pull {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	all, err := w.Forge.List(p.Context(), forge.Filter{})
	p.OK(err)
	return all
}
