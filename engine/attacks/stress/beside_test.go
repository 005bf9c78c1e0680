package stress_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/base/effort"
)

// neighbour uses ordinary git in the same repository, over and over until the processes of assent
// are done.
type neighbour struct {
	name string
	// makes reports that it writes objects. Git documents that `gc --prune=now` may remove objects
	// that another git is about to use, so a neighbour that makes and one that prunes take turns.
	// assent takes no turns.
	makes bool
	// prunes reports that it runs such a gc.
	prunes bool
	turn   turn
}

// turn runs once, and returns the facts that git acknowledged.
type turn func(ctx context.Context, r *rand.Rand) (outcome, []fact, error)

// neighbourhood holds all neighbours of one place.
type neighbourhood struct {
	place   *place
	ledger  *ledger
	pruning *sync.RWMutex // the campaign's

	mu    sync.Mutex
	turns map[string]int
	told  map[string]int
}

func newNeighbourhood(c *campaign) *neighbourhood {
	return &neighbourhood{place: c.place, ledger: &c.ledger, pruning: &c.quiet, turns: map[string]int{}, told: map[string]int{}}
}

// crowd are neighbours at work.
type crowd struct {
	stop context.CancelFunc
	all  sync.WaitGroup
	errs []error
}

// begin runs the neighbours, turn by turn, until end.
func (n *neighbourhood) begin(t *testing.T, seed uint64, neighbours ...neighbour) *crowd {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	c := &crowd{stop: stop, errs: make([]error, len(neighbours))}
	for i, who := range neighbours {
		c.all.Go(func() { c.errs[i] = n.live(ctx, who, dice(seed, 100+i)) })
	}
	return c
}

// end stops the neighbours and waits until they have finished their turns.
func (c *crowd) end(t *testing.T) {
	t.Helper()
	c.stop()
	c.all.Wait()
	for _, err := range c.errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// gitTold are the reasons for which git itself may fail.
var gitTold = map[string]*regexp.Regexp{
	"git: locked": regexp.MustCompile(`Unable to create '.*\.lock': File exists|gc is already running|unable to lock|Another git process`),
	// A repack removes the empty folder that another git is about to write into.
	"git: no folder": regexp.MustCompile(`unable to create temporary file: No such file`),
	"git: moved":     regexp.MustCompile(`but expected|reference already exists|unable to resolve reference|\[rejected\]|\[remote rejected\]|incorrect old value`),
}

// live runs a neighbour's turns until ctx ends.
func (n *neighbourhood) live(ctx context.Context, who neighbour, r *rand.Rand) error {
	for ctx.Err() == nil {
		o, err := n.guarded(who, r)
		if err != nil {
			return fmt.Errorf("%s: %w", who.name, err)
		}
		why := ""
		if o.exit != 0 {
			if why = gitReason(o); why == "" {
				return fmt.Errorf("%s: no reason that is allowed: %s", who.name, o)
			}
		}
		n.count(who.name, why)
	}
	return nil
}

// guarded runs one turn. A turn that began is finished even after the stop.
func (n *neighbourhood) guarded(who neighbour, r *rand.Rand) (outcome, error) {
	switch {
	case who.prunes:
		n.pruning.Lock()
		defer n.pruning.Unlock()
	case who.makes:
		n.pruning.RLock()
		defer n.pruning.RUnlock()
	}
	o, facts, err := who.turn(context.Background(), r)
	n.ledger.add(facts...)
	return o, err
}

func gitReason(o outcome) string {
	for _, why := range slices.Sorted(maps.Keys(gitTold)) {
		if gitTold[why].MatchString(o.stderr) {
			return why
		}
	}
	return ""
}

func (n *neighbourhood) count(who, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turns[who]++
	if why != "" {
		n.told[who+", "+why]++
	}
}

// all returns all neighbours: those that tidy, those that write and those that work in a clone.
func (n *neighbourhood) all(t *testing.T) []neighbour {
	t.Helper()
	return []neighbour{
		{name: "pack-refs", turn: n.plain("pack-refs", "--all")},
		{name: "repack", makes: true, turn: n.plain("repack", "-adq")},
		{name: "gc", prunes: true, turn: n.plain("gc", "--prune=now", "--quiet")},
		n.updater("update-ref", func(*rand.Rand) (string, error) { return "refs/heads/side/own", nil }),
		n.updater("contender", n.somebodys),
		n.committer(t),
		n.fetcher(t),
		n.pusher(t, "one"),
		n.pusher(t, "two"),
	}
}

func (n *neighbourhood) plain(args ...string) turn {
	return func(ctx context.Context, _ *rand.Rand) (outcome, []fact, error) {
		o, err := n.place.run(ctx, git(args...))
		return o, nil, err
	}
}

// somebodys returns the branch of an open proposal.
func (n *neighbourhood) somebodys(r *rand.Rand) (string, error) {
	out, err := n.place.ask("for-each-ref", "--format=%(refname)", "refs/heads/proposal")
	if refs := strings.Fields(out); err == nil && len(refs) > 0 {
		return pick(r, refs), nil
	}
	return "refs/heads/side/nobodys", err
}

// updater puts a commit upon the current value of a ref, by compare-and-swap.
func (n *neighbourhood) updater(name string, choose func(*rand.Rand) (string, error)) neighbour {
	return neighbour{name: name, makes: true, turn: func(ctx context.Context, r *rand.Rand) (outcome, []fact, error) {
		ref, err := choose(r)
		if err != nil {
			return outcome{}, nil, err
		}
		there, err := n.place.run(ctx, git("rev-parse", "--verify", "-q", ref))
		if err != nil {
			return there, nil, err
		}
		old, parent := strings.TrimSpace(there.stdout), "main"
		if old != "" {
			parent = old
		}
		made, err := n.place.run(ctx, git("commit-tree", parent+"^{tree}", "-p", parent, "-m", fmt.Sprintf("side %x", r.Uint64())))
		if err != nil || made.exit != 0 {
			return made, nil, err
		}
		id := strings.TrimSpace(made.stdout)
		o, err := n.place.run(ctx, git("update-ref", ref, id, cmp.Or(old, strings.Repeat("0", 40))))
		if err != nil || o.exit != 0 {
			return o, nil, err
		}
		return o, []fact{{kind: "moved", on: ref, old: old, new: id}}, nil
	}}
}

// committer works on its own branch in a linked worktree.
func (n *neighbourhood) committer(t *testing.T) neighbour {
	t.Helper()
	dir := filepath.Join(n.place.root, "linked")
	n.place.must(t, git("worktree", "add", "-q", "-b", "side/linked", dir))
	return neighbour{name: "commit", makes: true, turn: func(ctx context.Context, r *rand.Rand) (outcome, []fact, error) {
		if err := os.WriteFile(filepath.Join(dir, "side.txt"), fmt.Appendf(nil, "%x\n", r.Uint64()), 0o666); err != nil {
			return outcome{}, nil, err
		}
		return n.inTurn(ctx, dir, func(head string) fact { return fact{kind: "committed", on: "refs/heads/side/linked", new: head} },
			git("add", "side.txt"), git("commit", "-qm", "side"))
	}}
}

// inTurn runs commands in dir until one fails; then the commit at HEAD becomes a fact.
func (n *neighbourhood) inTurn(ctx context.Context, dir string, known func(head string) fact, commands ...command) (outcome, []fact, error) {
	for _, c := range append(commands, git("rev-parse", "HEAD")) {
		o, err := n.place.run(ctx, c.in(dir))
		if err != nil || o.exit != 0 {
			return o, nil, err
		}
		if c.args[0] == "rev-parse" {
			return o, []fact{known(strings.TrimSpace(o.stdout))}, nil
		}
	}
	return outcome{}, nil, nil
}

// fetcher fetches all refs into a clone, and main back from there.
func (n *neighbourhood) fetcher(t *testing.T) neighbour {
	t.Helper()
	dir := n.clone(t, "fetcher")
	return neighbour{name: "fetch", makes: true, turn: func(ctx context.Context, _ *rand.Rand) (outcome, []fact, error) {
		o, err := n.place.run(ctx, git("fetch", "-q", "--prune", "origin", "+refs/*:refs/remotes/all/*").in(dir))
		if err != nil || o.exit != 0 {
			return o, nil, err
		}
		o, err = n.place.run(ctx, git("fetch", "-q", dir, "+refs/remotes/all/heads/main:refs/remotes/fetcher/main"))
		return o, nil, err
	}}
}

func (n *neighbourhood) clone(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(n.place.root, name)
	n.place.must(t, git("clone", "-q", n.place.dir, dir))
	return dir
}

// sharedRef is the ref that all pushers compete for.
const sharedRef = "refs/heads/side/shared"

// pusher pushes its own branches into the inbox, and competes for a shared one.
func (n *neighbourhood) pusher(t *testing.T, who string) neighbour {
	t.Helper()
	n.place.must(t, git("update-ref", sharedRef, "main"))
	dir := n.clone(t, "pusher-"+who)
	return neighbour{name: "push " + who, makes: true, turn: func(ctx context.Context, r *rand.Rand) (outcome, []fact, error) {
		ref, old := fmt.Sprintf("refs/heads/inbox/%s/%08x", who, r.Uint32()), ""
		if r.IntN(2) == 0 {
			ref = sharedRef
			o, facts, err := n.inTurn(ctx, dir, func(head string) fact { return fact{old: head} },
				git("fetch", "-q", "origin", ref), git("reset", "-q", "--hard", "FETCH_HEAD"))
			if err != nil || o.exit != 0 {
				return o, nil, err
			}
			old = facts[0].old
		}
		o, facts, err := n.inTurn(ctx, dir, func(head string) fact { return fact{kind: "moved", on: ref, old: old, new: head} },
			git("commit", "-q", "--allow-empty", "-m", fmt.Sprintf("pushed %x", r.Uint64())), git("push", "-q", "origin", "HEAD:"+ref))
		if ref == sharedRef {
			// Git by itself loses such pushes beside a loop of pack-refs: it tells packed-refs
			// from its successor by seconds (git 2.39: 33 of 487, no assent there).
			facts = nil
		}
		return o, facts, err
	}}
}

// Eight processes of assent work at once, on proposals of their own and on each
// other's, while ordinary git does all of the above in the same repository.
func TestSideBySide(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("git there gives way to a reader of its files instead of replacing them beside it")
	}
	s := seed(t)
	p := newPlace(t, 8)
	c := &campaign{T: t, place: p, checker: newChecker(p), tally: newTally(), actor: actor{p, dice(s, 0)}}
	first, err := c.actor.proposal("skill-00000000")
	must(t, err)
	c.life(first)
	n := newNeighbourhood(c)
	beside := n.begin(t, s, n.all(t)...)
	shared := &commons{}
	var workers sync.WaitGroup
	for i := range 8 {
		w := &worker{campaign: c, actor: actor{p, dice(s, i+1)}, shared: shared}
		workers.Go(func() {
			for range effort.Of(2, 3, 30) {
				w.work()
			}
		})
	}
	workers.Wait()
	beside.end(t)
	c.verify(nil)
	// The checkout followed main; otherwise the next `git commit -a` would revert merges.
	if dirty := p.must(t, git("status", "--porcelain")); dirty != "" {
		t.Errorf("the checkout of main is not what main is:\n%s", dirty)
	}
	c.finale()
	t.Logf("assent: done %v, told why not %v\ngit: %v, told why not %v", shared.done, shared.told, n.turns, n.told)
}

// Up to a dozen merges run at the same moment, and all of them succeed: each time one of them
// moves main, and the others judge again on the new main.
func TestMergesAtOnce(t *testing.T) {
	p := newPlace(t, 4)
	c := &campaign{T: t, place: p, checker: newChecker(p), tally: newTally(), actor: actor{p, dice(seed(t), 0)}}
	var proposals, reviews, merges []act
	for range 12 {
		x, err := c.actor.proposal(name("skill", c.actor.rand))
		must(t, err)
		proposals = append(proposals, x)
	}
	c.start(proposals)
	for id := range c.verify(nil).journals {
		reviews, merges = append(reviews, c.actor.about("review", id)), append(merges, c.actor.about("merge", id))
	}
	c.start(reviews)
	for _, o := range c.start(merges) {
		if o.exit != 0 {
			t.Error(o)
		}
	}
	if h := c.verify(nil); len(h.main) != 1+len(merges) {
		t.Errorf("main has %d commits after %d merges", len(h.main), len(merges))
	}
}
