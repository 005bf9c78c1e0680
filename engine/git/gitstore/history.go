package gitstore

import (
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// History walks the commits of a repository.
type History struct{ objects *Objects }

// FirstParents visits from and then each first parent, until visit returns false or an error,
// or a commit has no parent.
func (hist *History) FirstParents(from tree.Hash, visit func(Commit) (more bool, err error)) error {
	return firstParents(hist.objects.Commit, from, visit)
}

// Lineage is FirstParents that also passes malformed commits if their tree and parents can be
// read. It visits them with Malformed set, so that one bad commit does not hide older ones.
func (hist *History) Lineage(from tree.Hash, visit func(Commit) (more bool, err error)) error {
	return firstParents(hist.objects.Passable, from, visit)
}

func firstParents(read func(tree.Hash) (Commit, error), from tree.Hash, visit func(Commit) (more bool, err error)) error {
	for {
		c, err := read(from)
		if err != nil {
			return err
		}
		more, err := visit(c)
		if err != nil || !more || len(c.Parents) == 0 {
			return err
		}
		from = c.Parents[0]
	}
}

// Marks of a commit while walks from two sides meet.
const (
	fromLeft  = 1 << iota // reachable from a, or excluded
	fromRight             // reachable from b, or included
	stale                 // below a common commit: cannot be a new result
	queued
)

// painter walks history newest first and carries marks from children to parents. It passes
// commits that are malformed beyond their parents and never returns them. It keeps only outlines.
// Committer dates only order the work: wrong clocks cost time, never correctness, because late
// marks are carried on.
type painter struct {
	objects *Objects
	nodes   map[tree.Hash]*node
	queue   nodeQueue
	// live counts the queued nodes that are not stale.
	live int
	// skips leaves out commits that cannot be read, and what only they lead to.
	skips bool
}

type node struct {
	commit Outline
	marks  int
}

func newPainter(objects *Objects) *painter {
	return &painter{objects: objects, nodes: map[tree.Hash]*node{}}
}

// mark adds marks to a commit and queues it if its marks changed.
func (p *painter) mark(h tree.Hash, marks int) error {
	n := p.nodes[h]
	if n == nil {
		c, err := p.objects.Passable(h)
		if p.skips && (IsBadObject(err) || errors.Is(err, ErrNoObject)) {
			return nil
		}
		if err != nil {
			return err
		}
		n = &node{commit: c.Outline()}
		p.nodes[h] = n
	}
	if n.marks&marks == marks {
		return nil
	}
	wasLive := n.marks&queued != 0 && n.marks&stale == 0
	n.marks |= marks
	isLive := n.marks&stale == 0
	if n.marks&queued == 0 {
		n.marks |= queued
		heap.Push(&p.queue, n)
	}
	switch {
	case wasLive && !isLive:
		p.live--
	case !wasLive && isLive:
		p.live++
	}
	return nil
}

// next removes and returns the newest queued commit.
func (p *painter) next() *node {
	n := heap.Pop(&p.queue).(*node)
	n.marks &^= queued
	if n.marks&stale == 0 {
		p.live--
	}
	return n
}

// MergeBase returns a best common ancestor of a and b, zero if they are unrelated. Of several
// equally good ones (criss-cross merges) it returns the newest by commit date, then the
// smallest hash.
func (hist *History) MergeBase(a, b tree.Hash) (tree.Hash, error) {
	bases, err := hist.MergeBases(a, b)
	if err != nil || len(bases) == 0 {
		return tree.Hash{}, err
	}
	return bases[0], nil
}

// MergeBases returns the common ancestors of a and b that are not below another one,
// MergeBase's result first. It returns none if a and b are unrelated.
func (hist *History) MergeBases(a, b tree.Hash) ([]tree.Hash, error) {
	if a == b {
		return []tree.Hash{a}, nil
	}
	_, nodes, err := hist.paint(a, b)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	slices.SortFunc(nodes, func(x, y *node) int {
		if newer(x.commit, y.commit) {
			return -1
		}
		return 1
	})
	out := make([]tree.Hash, 0, len(nodes))
	for _, n := range nodes {
		out = append(out, n.commit.Hash)
	}
	return out, nil
}

// paint marks the commits reachable from a and from b until only stale commits are queued. It
// returns the common ancestors that are not below another one.
func (hist *History) paint(a, b tree.Hash) (*painter, []*node, error) {
	p := newPainter(hist.objects)
	if err := p.mark(a, fromLeft); err != nil {
		return nil, nil, err
	}
	if err := p.mark(b, fromRight); err != nil {
		return nil, nil, err
	}
	var candidates []*node
	for p.live > 0 {
		n := p.next()
		carry := n.marks & (fromLeft | fromRight | stale)
		if carry&(fromLeft|fromRight) == fromLeft|fromRight {
			if carry&stale == 0 && !slices.Contains(candidates, n) {
				candidates = append(candidates, n)
			}
			carry |= stale
		}
		for _, parent := range n.commit.Parents {
			if err := p.mark(parent, carry); err != nil {
				return nil, nil, err
			}
		}
	}
	return p, slices.DeleteFunc(candidates, func(n *node) bool { return n.marks&stale != 0 }), nil
}

// IsAncestor reports whether a is b or reachable from it.
func (hist *History) IsAncestor(a, b tree.Hash) (bool, error) {
	if a == b {
		return true, nil
	}
	p, _, err := hist.paint(a, b)
	if err != nil {
		return false, err
	}
	return p.nodes[a].marks&fromRight != 0, nil
}

// Between returns the commits that are reachable from incl and not from excl, newest first, and
// children before parents of the same second. A zero excl excludes nothing.
func (hist *History) Between(excl, incl tree.Hash) ([]Outline, error) {
	out, err := newPainter(hist.objects).between(excl, incl)
	if err != nil {
		return nil, err
	}
	order.Stable(out, func(a, b Outline) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return out, nil
}

// Beside returns the commits that are reachable from any of incl and not from excl, in no
// particular order. Unlike Between, it includes malformed commits and leaves out commits that
// cannot be read, so that one bad commit does not hide others.
func (hist *History) Beside(excl tree.Hash, incl ...tree.Hash) ([]Outline, error) {
	p := newPainter(hist.objects)
	p.skips = true
	return p.between(excl, incl...)
}

// between walks history and returns the commits that are reachable from incl and not from excl.
func (p *painter) between(excl tree.Hash, incl ...tree.Hash) ([]Outline, error) {
	if !excl.IsZero() {
		if err := p.exclude(excl); err != nil {
			return nil, err
		}
	}
	for _, h := range incl {
		if err := p.mark(h, fromRight); err != nil {
			return nil, err
		}
	}
	return p.included()
}

// exclude marks a commit, and so its ancestors, as excluded. The walk ends when only stale
// commits remain.
func (p *painter) exclude(h tree.Hash) error { return p.mark(h, fromLeft|stale) }

// included walks history and returns the commits that are reachable and not excluded. Malformed
// ones are an error unless the painter skips what cannot be read.
func (p *painter) included() ([]Outline, error) {
	seen, err := p.drain()
	if err != nil {
		return nil, err
	}
	var out []Outline
	for _, n := range seen {
		if n.marks&fromLeft != 0 {
			continue
		}
		if n.commit.malformed != nil && !p.skips {
			return nil, n.commit.malformed
		}
		out = append(out, n.commit)
	}
	return out, nil
}

// slop is the number of excluded commits that are still walked once everything else is settled,
// in case committer dates are wrong. Git uses 5.
const slop = 64

// drain walks until only excluded commits remain that are older than all included ones, and
// returns each visited commit once.
func (p *painter) drain() ([]*node, error) {
	var seen []*node
	visited := map[*node]bool{}
	var oldest *node
	for spare := slop; p.queue.Len() > 0; {
		if p.live == 0 && (oldest == nil || newer(oldest.commit, p.queue[0].commit)) {
			if spare--; spare < 0 {
				break
			}
		}
		n := p.next()
		if !visited[n] {
			visited[n] = true
			seen = append(seen, n)
		}
		if n.marks&fromLeft == 0 && (oldest == nil || newer(oldest.commit, n.commit)) {
			oldest = n
		}
		for _, parent := range n.commit.Parents {
			if err := p.mark(parent, n.marks&(fromLeft|fromRight|stale)); err != nil {
				return nil, err
			}
		}
	}
	return seen, nil
}

func newer(a, b Outline) bool {
	if a.Seconds != b.Seconds {
		return a.Seconds > b.Seconds
	}
	return bytes.Compare(a.Hash[:], b.Hash[:]) < 0
}

// nodeQueue is a heap, newest commit first.
type nodeQueue []*node

func (q nodeQueue) Len() int           { return len(q) }
func (q nodeQueue) Less(i, j int) bool { return newer(q[i].commit, q[j].commit) }
func (q nodeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *nodeQueue) Push(x any) { *q = append(*q, x.(*node)) }

// Pop implements heap.Interface.
func (q *nodeQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
