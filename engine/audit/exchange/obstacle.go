package exchange

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Git cannot store a ref beside another one whose name is a folder of the first, such as
// refs/assent/pulls beside refs/assent/pulls/ID. A push is atomic, so that one such ref on
// the remote would hold up everything.

// obstacle returns the ref among there that keeps a ref from being created; "" if none does.
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

// unobstructed holds back the moves that a ref on the remote stands in the way of, with all
// that belongs to the same proposal. Main then waits as well, because its evidence is first.
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
		p.held = append(p.held, Held{name, fmt.Sprintf("the ref %s on %s stands in its way; delete it: git push %s --delete %[1]s", stuck[name], p.o.Remote, p.o.Remote)})
	}
	return slices.DeleteFunc(moves, func(m remote.Move) bool {
		_, held := stuck[path.Base(m.Ref)]
		if m.Ref == attest.MainRef {
			p.held = append(p.held, Held{"main", "what proves its merges cannot be published"})
		}
		return held || m.Ref == attest.MainRef
	})
}

// Obstacles returns the refs on a remote that keep journals, stops or branches of proposals
// from being published, whatever their names will be.
func Obstacles(ctx context.Context, w *workspace.Workspace, from string) ([]string, error) {
	there, err := refsThere(ctx, w, from)
	return InTheWay(slices.Sorted(maps.Keys(there))), err
}

// InTheWay returns those of some refs beside which git cannot keep a journal, a stop or a
// branch of a proposal, whatever its name.
func InTheWay(refs []string) []string {
	var found []string
	for _, name := range refs {
		for _, folder := range []string{local.PullPrefix, local.ClosedPrefix, runlog.Prefix, runlog.EndedPrefix, workspace.StopPrefix, "refs/heads/" + forge.BranchPrefix} {
			rest, below := strings.CutPrefix(name, folder)
			if strings.HasPrefix(folder, name+"/") || below && strings.Contains(rest, "/") {
				found = append(found, name)
				break
			}
		}
	}
	return found
}
