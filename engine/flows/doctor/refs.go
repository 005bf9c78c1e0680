package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// manyRefs is from how many refs on every fetch takes noticeably longer to begin.
const manyRefs = 5000

// checkRefs looks for empty or invalid refs, as killed programs leave them, and for more
// refs than a fetch should receive.
func checkRefs(e *examination) {
	all, err := e.w.Repo.Refs("refs/")
	broken, err := gitstore.BrokenRefs(err)
	for _, ref := range broken {
		reportBrokenRef(e, ref)
	}
	dangling, derr := gitstore.Dangling(e.w.Repo, "refs/")
	err = errors.Join(err, derr)
	for _, ref := range dangling {
		reportDangling(e, ref)
	}
	misplaced := reportMisplaced(e, slices.DeleteFunc(slices.Clone(all), func(ref gitstore.Ref) bool { return slices.Contains(dangling, ref) }))
	switch {
	case err != nil:
		e.broke("refs", err)
	case len(broken)+len(dangling) > 0 || misplaced: // reported already
	case len(all) > manyRefs:
		e.warn("refs", "git pack-refs --all", "%d refs: every fetch receives all of them", len(all))
	default:
		e.ok("refs", "%s, all readable", plural(len(all), "ref"))
	}
}

// reportDangling names a ref whose object is missing here. One that the remote has as well can be
// dropped: the next pull brings it back. The journal of a proposal is compared with the remote's
// instead (checkHub).
func reportDangling(e *examination, ref gitstore.Ref) {
	const says = "%s names %s, which is missing here, and plain git fetches nothing because of it"
	tracking := strings.HasPrefix(ref.Name, remote.TrackingPrefix) || strings.HasPrefix(ref.Name, "refs/remotes/")
	record := strings.HasPrefix(ref.Name, "refs/heads/"+forge.BranchPrefix) || workspace.Shared(ref.Name)
	journal := workspace.KindOf(ref.Name) == workspace.PullRef
	switch {
	case journal || record && e.Remote == "":
		e.fail("refs", "assent doctor --fix --remote, then assent pull", says, ref.Name, ref.Hash.Short())
	case tracking || record || exchange.Foreign(ref.Name):
		e.fail("refs", "assent doctor --fix, then assent pull", says, ref.Name, ref.Hash.Short()).
			by(func(context.Context) error {
				return e.w.Repo.Update(gitstore.RefUpdate{Name: ref.Name, Old: ref.Hash, Reflog: "assent: names nothing"})
			}, "remove it; assent pull brings it back if the remote has it")
	default:
		e.fail("refs", "fetch "+ref.Hash.String()+" from a clone or backup that has it; if it is of no use: git update-ref -d "+names.ForShell(ref.Name),
			says, ref.Name, ref.Hash.Short())
	}
}

// reportMisplaced names the refs beside which git can keep no journal or branch of a proposal, and
// those below refs/assent/ with foreign names. It reports whether there are any.
func reportMisplaced(e *examination, all []gitstore.Ref) bool {
	at := map[string]tree.Hash{}
	for _, ref := range all {
		at[ref.Name] = ref.Hash
	}
	inTheWay := exchange.InTheWay(slices.Sorted(maps.Keys(at)))
	for _, name := range inTheWay {
		fix := "git update-ref -d " + names.ForShell(name)
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			fix = "git branch -m " + names.ForShell(branch) + " ANOTHER-NAME"
		}
		e.fail("refs", fix, "git cannot store proposals beside %s: rename or delete it", name)
		delete(at, name)
	}
	found := len(inTheWay) > 0
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if !exchange.Foreign(name) {
			continue
		}
		found = true
		kept := local.DamagedPrefix + "junk/" + at[name].Short()
		e.fail("refs", "assent doctor --fix", "assent stores nothing under the name %s", name).
			by(func(context.Context) error {
				return e.w.Repo.Update(
					gitstore.RefUpdate{Name: kept, New: at[name], Any: true, Reflog: "assent: kept as evidence"},
					gitstore.RefUpdate{Name: name, Old: at[name], Reflog: "assent: no record of its kind"})
			}, "remove it; %s keeps what it names", kept)
	}
	return found
}

// reportBrokenRef names a ref that leads nowhere, which its log may know the last value of.
func reportBrokenRef(e *examination, ref *gitstore.BrokenRef) {
	name, what := ref.Name, "is empty, as a program leaves it that is killed while it writes"
	if ref.Text != "" {
		what = fmt.Sprintf("holds %.60q, no object name", ref.Text)
	}
	path := filepath.Join(e.w.Repo.CommonDir(), filepath.FromSlash(name))
	last, err := lastLogged(filepath.Join(e.w.Repo.CommonDir(), "logs", filepath.FromSlash(name)))
	if err == nil {
		_, err = e.w.Repo.Commit(last)
	}
	if err != nil {
		e.fail("refs", "fetch it from a clone that has it: rm "+names.ForShell(path)+" && git fetch origin "+names.ForShell(name+":"+name),
			"%s %s, and its log does not help (%v)", name, what, err)
		return
	}
	e.fail("refs", "rm "+names.ForShell(path)+" && git update-ref "+names.ForShell(name)+" "+names.ShellWord(last.String()), "%s %s", name, what).
		by(restoreRef(e, name, path, last), "restore it to %s, the last value in its log", last.Short())
}

// restoreRef removes the broken file and writes the ref again. A value in packed-refs, or
// one written meanwhile, is only moved forward.
func restoreRef(e *examination, name, path string, last tree.Hash) func(context.Context) error {
	remove := removal(path)
	return func(ctx context.Context) error {
		if err := remove(ctx); err != nil {
			return err
		}
		below, err := e.w.Repo.Ref(name)
		if err == nil {
			forward, err := e.w.Repo.IsAncestor(below, last)
			if err != nil || !forward {
				return errors.Join(fmt.Errorf("it is at %s now, which its log does not lead on from", below.Short()), err)
			}
		} else if !errors.Is(err, gitstore.ErrNoRef) {
			return err
		}
		return e.w.Repo.Update(gitstore.RefUpdate{Name: name, Old: below, New: last, Reflog: "assent: restored from this log"})
	}
}

// lastLogged returns the last value of a ref by its reflog.
func lastLogged(path string) (tree.Hash, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Hash{}, errors.New("there is no reflog")
	}
	if err != nil {
		return tree.Hash{}, err
	}
	defer f.Close()
	var last string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		last = lines.Text()
	}
	if err := lines.Err(); err != nil {
		return tree.Hash{}, err
	}
	fields := strings.Fields(last)
	if len(fields) < 2 {
		return tree.Hash{}, errors.New("it holds no entry")
	}
	return tree.ParseHash(fields[1])
}
