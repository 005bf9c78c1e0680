package local

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// mainline knows which proposals main has.
//
// The invariant: a proposal is merged if a commit on main's first-parent line has its file, and the
// journal names that commit. Anyone with push access can append to a journal, so what a journal says is a claim. A main
// of the remote that continues this one counts as well: this clone is behind.
type mainline struct {
	repo *gitstore.Repo
	refs []tree.Hash // main and the tracked mains of the remote, as read
	tips []tree.Hash // those that count; none without a main, and then claims count

	mu    sync.Mutex
	files map[string]string  // proposals' files by name, with their paths; nil until needed
	older idsBelow           // the same of earlier mains that were looked at
	on    map[tree.Hash]bool // the lines, as far as they were walked
	next  tree.Hash          // where the walk of main goes on, zero at its end
}

// mainlines keeps the last mainline for the readings of one process.
type mainlines struct {
	mu   sync.Mutex
	last *mainline
}

// mainline returns the line of the present main.
func (r record) mainline() (*mainline, error) {
	main, err := r.tip(forge.Main)
	if err != nil {
		return nil, err
	}
	l := &mainline{repo: r.repo, refs: []tree.Hash{main}}
	name := cmp.Or(r.repo.Config("assent.remote"), "origin")
	for _, ref := range []string{"refs/remotes/" + name + "/" + forge.Main, "refs/assent-remotes/" + name + "/heads/" + forge.Main} {
		if at, err := r.repo.Ref(ref); err == nil && !slices.Contains(l.refs, at) { // doctor reports a broken one
			l.refs = append(l.refs, at)
		}
	}
	r.mains.mu.Lock()
	defer r.mains.mu.Unlock()
	if last := r.mains.last; last != nil && slices.Equal(last.refs, l.refs) {
		return last, nil
	}
	if !main.IsZero() {
		l.tips, l.next = l.refs[:1:1], main
	}
	for _, at := range l.refs[len(l.tips):] {
		ahead, err := r.repo.IsAncestor(main, at)
		switch {
		case err == nil && ahead:
			l.tips = append(l.tips, at)
		case err != nil && !gitstore.IsContent(err):
			return nil, err
		}
	}
	r.mains.last = l
	return l, nil
}

// has reports whether main has the file of a proposal, and its path.
func (l *mainline) has(id string) (file string, has bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tips) == 0 {
		return "", true, nil
	}
	if l.files == nil {
		found := idsBelow{repo: l.repo, ids: map[string]string{}, seen: map[visited]bool{}}
		for _, tip := range l.tips {
			if err := found.collect(tip); err != nil {
				return "", false, err
			}
		}
		l.files = found.ids
	}
	file, has = l.files[id+".md"]
	return file, has, nil
}

// had reports whether an earlier main, a commit, has the file of a proposal, and its path. Folders that
// several mains share are read once.
func (l *mainline) had(id string, commit tree.Hash) (file string, had bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.older.ids == nil {
		l.older = idsBelow{repo: l.repo, ids: map[string]string{}, seen: map[visited]bool{}}
	}
	if err := l.older.collect(commit); err != nil {
		return "", false, err
	}
	file, had = l.older.ids[id+".md"]
	return file, had, nil
}

// merged reports whether main has a proposal by a commit.
func (r record) merged(id string, commit tree.Hash) (bool, error) {
	l, err := r.mainline()
	if err != nil {
		return false, err
	}
	return l.merged(id, commit)
}

func (l *mainline) merged(id string, commit tree.Hash) (bool, error) {
	file, has, err := l.has(id)
	if err != nil || len(l.tips) == 0 {
		return has, err
	}
	c, err := l.repo.Passable(commit)
	if gitstore.IsContent(err) || err == nil && len(c.Parents) == 0 {
		return false, nil
	}
	if err == nil && !has { // a commit past the gate may have taken the file away since
		file, has, err = l.had(id, commit)
	}
	//defence:merges-bring-the-proposal-file
	if err == nil && !has {
		return false, nil
	}
	if err == nil {
		has, err = holds(l.repo, c.Tree, file)
	}
	if err != nil || !has {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.on == nil {
		l.on = map[tree.Hash]bool{}
		for _, tip := range l.tips[1:] {
			if err := l.walk(tip, func(at tree.Hash) bool { return at == l.tips[0] || l.on[at] }); err != nil {
				return false, err
			}
		}
	}
	if !l.on[commit] && !l.on[c.Parents[0]] && !l.next.IsZero() {
		err = l.walk(l.next, func(tree.Hash) bool { return l.on[commit] || l.on[c.Parents[0]] })
	}
	return l.on[commit], err
}

// holds reports whether a tree has a file. One that cannot be read has none.
func holds(repo *gitstore.Repo, top tree.Hash, file string) (bool, error) {
	view, err := repo.Snapshot(top)
	if err == nil {
		_, err = view.Lookup(file)
	}
	if gitstore.IsContent(err) {
		return false, nil
	}
	return err == nil, err
}

// walk adds commits of a line until enough returns true for the next one.
func (l *mainline) walk(from tree.Hash, enough func(next tree.Hash) bool) error {
	mine := from == l.next
	return l.repo.Lineage(from, func(c gitstore.Commit) (bool, error) {
		if enough(c.Hash) {
			return false, nil
		}
		l.on[c.Hash] = true
		if mine {
			l.next = tree.Hash{}
			if len(c.Parents) > 0 {
				l.next = c.Parents[0]
			}
		}
		return true, nil
	})
}

// idsBelow collects the names of the files of proposals.
type idsBelow struct {
	repo *gitstore.Repo
	ids  map[string]string
	seen map[visited]bool
}

// visited is a folder that was read at a depth. Folders repeat in a tree that stands for many
// files, and in mains that follow each other.
type visited struct {
	hash  tree.Hash
	depth int
}

// proposalDepth is the depth of the folders with files: proposals/yyyy/mm/dd.
const proposalDepth = 3

// collect reads the newest main whose proposals can be read.
func (b *idsBelow) collect(tip tree.Hash) error {
	return b.repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
		at, err := b.repo.Snapshot(c.Tree)
		var e tree.Entry
		if err == nil {
			e, err = at.Lookup(string(names.ProposalsArea))
		}
		if errors.Is(err, tree.ErrNotExist) {
			return false, nil
		}
		if err == nil {
			err = b.folder(e.Hash, string(names.ProposalsArea), 0)
		}
		if gitstore.IsContent(err) {
			return true, nil
		}
		return false, err
	})
}

func (b *idsBelow) folder(h tree.Hash, dir string, depth int) error {
	if b.seen[visited{h, depth}] {
		return nil
	}
	b.seen[visited{h, depth}] = true
	at, err := b.repo.Snapshot(h)
	if err != nil {
		return err
	}
	entries, err := at.List("")
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch {
		case e.Mode == tree.Dir && depth < proposalDepth:
			err = b.folder(e.Hash, tree.Join(dir, e.Path), depth+1)
		case e.Mode.IsFile() && depth == proposalDepth:
			b.ids[e.Path] = tree.Join(dir, e.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
