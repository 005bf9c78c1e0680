package generate

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Agent is the first agent of a generated workspace, Human the person who may approve.
const (
	Agent = "kublai"
	Human = "ada"
)

// agents are several, because one learns a limited number of capabilities.
var agents = []string{Agent, "argon", "bolad", "chabi"}

// Began is when a generated workspace begins.
func Began() time.Time { return time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC) }

// World is a generated workspace.
type World struct {
	Repo *gitstore.Repo
	// Genesis is main's only commit, which brings all capabilities at once.
	Genesis tree.Hash
	// Key is the file with Human's key, without a passphrase.
	Key string
}

// batch is how many capabilities are written at a time: it bounds the memory.
const batch = 2000

// Workspace makes a workspace in the empty folder dir with all capabilities in
// force, the policies of the built-in instance, a few agents and one human. The key
// is made in folder home, which should be the process's ASSENT_HOME, so that what
// is in force is remembered as well. Nothing that a World writes is synced.
func (o Options) Workspace(ctx context.Context, dir, home string) (World, error) {
	w := World{Key: filepath.Join(home, "keys", Human)}
	var err error
	if w.Repo, err = gitstore.InitOn(unsynced{}, dir); err != nil {
		return w, err
	}
	if _, err := keys.Generate(w.Key, Human, nil); err != nil {
		return w, err
	}
	signer, err := keys.Load(w.Key, nil)
	if err != nil {
		return w, err
	}
	defer signer.Close()
	begin, err := template(signer.AuthorizedKey())
	if err != nil {
		return w, err
	}
	top, err := w.Repo.WriteTree(tree.Hash{}, begin)
	if err != nil {
		return w, err
	}
	for edits := range o.Batches(batch) {
		if top, err = w.Repo.WriteTree(top, edits); err != nil {
			return w, err
		}
	}
	who := gitstore.Person{Name: Human, Email: Human + "@example.org", When: Began()}
	w.Genesis, err = w.Repo.WriteCommit(gitstore.Commit{
		Tree: top, Author: who, Committer: who, Message: fmt.Sprintf("Begin with %d capabilities\n\n%s: 1\n", o.N, attest.GenesisTrailer),
	}, func(payload []byte) (string, error) {
		armored, err := review.SignCommit(payload, signer)
		return string(armored), err
	})
	if err != nil {
		return w, err
	}
	if err := w.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, New: w.Genesis}); err != nil {
		return w, err
	}
	return w, workspace.Of(w.Repo, workspace.Surroundings{Now: Began}).Memory().Remember(ctx, w.Genesis)
}

// template is what every workspace begins with, but for the skills.
func template(key string) ([]tree.Edit, error) {
	roles, err := policy.InitialRoles(policy.Person{Name: Human, Email: Human + "@example.org", PublicKey: key}, agents)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, area := range []string{"policies", "workflows"} {
		err := fs.WalkDir(assent.Template, area, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			files[path], err = fs.ReadFile(assent.Template, path)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if err := loosen(files); err != nil {
		return nil, err
	}
	return genesis.Template(files, agents, roles, func(agent string) []tree.Edit {
		edits, _ := capability.ScaffoldSoul(agent, capability.ScaffoldOptions{})
		return edits
	}), nil
}

// loosen lets a past with many merges be made: agents bring in as many capabilities as they
// like, and tools enter without tests, since nothing here runs any. The scenarios of the
// shipped policies ask for those.
func loosen(files map[string][]byte) error {
	maps.DeleteFunc(files, func(path string, _ []byte) bool { return strings.HasPrefix(path, policy.ScenariosDir+"/") })
	for _, l := range []struct{ file, setting, to string }{
		{policy.LimitsFile, `(?m)^synthesised_per_workspace: \d+`, "synthesised_per_workspace: 10000"},
		{policy.SecurityFile, `(?m)^  required: \[tool, mcp\]`, "  required: []"},
	} {
		setting := regexp.MustCompile(l.setting)
		if !setting.Match(files[l.file]) {
			return fmt.Errorf("%s has no setting %s", l.file, l.setting)
		}
		files[l.file] = setting.ReplaceAll(files[l.file], []byte(l.to))
	}
	return nil
}
