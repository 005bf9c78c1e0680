package exchange

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Git cannot store a ref whose name is a folder of another ref, such as refs/assent/pulls
// beside refs/assent/pulls/ID. A push is atomic, so one such ref on the remote would
// block everything.

// obstacle returns the ref in there that prevents the creation of ref; "" if none does.
func obstacle(there map[string]tree.Hash, ref string) string {
	for at := path.Dir(ref); at != "." && at != "refs"; at = path.Dir(at) {
		if _, ok := there[at]; ok {
			return at
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if strings.HasPrefix(name, ref+"/") {
			return name
		}
	}
	return ""
}

// unobstructed holds back the moves that a ref on the remote obstructs, with everything
// that belongs to the same proposal. Main then waits too, because its evidence must
// arrive first.
func (p *pushing) unobstructed(moves []remote.Move) []remote.Move {
	stuck := map[string]string{}
	for _, m := range moves {
		if o := obstacle(p.there, m.Ref); o != "" && !m.New.IsZero() {
			stuck[path.Base(m.Ref)] = o
		}
	}
	//defence:refs-in-the-way-hold-up-only-their-own
	if len(stuck) == 0 {
		return moves
	}
	for _, name := range slices.Sorted(maps.Keys(stuck)) {
		p.held = append(p.held, Held{name, fmt.Sprintf("the ref %s on %s stands in its way; delete it: %s", stuck[name], p.o.Remote, Removal(p.o.Remote, stuck[name]))})
	}
	return slices.DeleteFunc(moves, func(m remote.Move) bool {
		_, held := stuck[path.Base(m.Ref)]
		if m.Ref == attest.MainRef {
			p.held = append(p.held, Held{"main", "what proves its merges cannot be published"})
		}
		return held || m.Ref == attest.MainRef
	})
}

// Removal returns the command that deletes a ref of a remote. Git takes no push of a name like refs/assent.
func Removal(from, ref string) string {
	word := ref
	//defence:printed-commands-quote-refs
	word = names.ForShell(word)
	if path.Dir(ref) == "refs" {
		return "git update-ref -d " + word + " in the repository of " + from
	}
	return "git push " + names.ShellWord(from) + " --delete " + word
}

// Obstacles returns the refs on a remote that prevent the publication of journals, stops, trials
// or branches of proposals.
func Obstacles(ctx context.Context, w *workspace.Workspace, from string) (found []Junk, err error) {
	there, err := refsThere(ctx, w, from)
	for _, ref := range InTheWay(slices.Sorted(maps.Keys(there))) {
		found = append(found, Junk{Ref: ref, There: there[ref], Why: errors.New("git stores no record beside it")})
	}
	return found, err
}

// InTheWay returns the refs beside which git cannot store some journal, stop, trial or branch of
// a proposal.
func InTheWay(refs []string) []string {
	var found []string
	for _, name := range refs {
		for _, folder := range []string{local.PullPrefix, local.ClosedPrefix, runlog.Prefix, runlog.EndedPrefix, runlog.ArtifactsPrefix, workspace.StopPrefix, triallog.Prefix, "refs/heads/" + forge.BranchPrefix} {
			rest, below := strings.CutPrefix(name, folder)
			if strings.HasPrefix(folder, name+"/") || below && strings.Contains(rest, "/") {
				found = append(found, name)
				break
			}
		}
	}
	return found
}
