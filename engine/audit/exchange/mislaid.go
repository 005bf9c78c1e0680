package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Junk is a ref below refs/assent/, other than the journal of a proposal, that cannot be fetched from
// the remote, holds no record of the kind that its name says, or has a foreign name. On the remote it
// may prevent the publication of this clone's refs.
type Junk struct {
	Ref string
	// There is its commit on the remote, Here the one in this clone that replaces it, zero if
	// this clone has none that is intact.
	There, Here tree.Hash
	// OnThisSide reports that the ref is junk in this clone, at Here, and Part replaces it: what can
	// be read of it here, else the record of the remote.
	OnThisSide bool
	Part       tree.Hash
	// Fetched reports that the ref here is the same junk.
	Fetched bool
	// Stays reports that the ref may lead to records that this clone lacks: another clone must
	// replace it.
	Stays bool
	Why   error
}

// Kept returns the local ref under which Replace keeps the junk, if it could be fetched.
func (j Junk) Kept() string {
	if j.OnThisSide {
		return local.DamagedPrefix + "junk/" + j.Here.Short()
	}
	return local.DamagedPrefix + "junk/" + j.There.Short()
}

// Foreign reports whether a ref has a name below refs/assent/ that assent does not use.
func Foreign(ref string) bool {
	return strings.HasPrefix(ref, workspace.RecordPrefix) && workspace.KindOf(ref) == workspace.ForeignRef
}

// FindJunk examines the refs of the last fetch, and those here that differ. Damages fetches, and
// returns those that it could not fetch, if any.
func FindJunk(ctx context.Context, w *workspace.Workspace, from string, unfetched *remote.Partly) ([]Junk, error) {
	here, err := heads(w.Repo, workspace.RecordPrefix)
	if err != nil {
		return nil, err
	}
	fetched, why, err := recordsThere(ctx, w, from, unfetched)
	if err != nil {
		return nil, err
	}
	var out []Junk
	for _, name := range slices.Sorted(maps.Keys(fetched)) {
		ref, at := workspace.RecordPrefix+name, fetched[name]
		switch {
		case why[name] != nil:
		case workspace.KindOf(ref) == workspace.StopRef:
			why[name] = wrongStop(ctx, w, ref, here[name], at)
		default:
			why[name] = unsound(ctx, w, ref, at)
		}
		if why[name] == nil {
			continue
		}
		j := Junk{Ref: ref, There: at, Fetched: here[name] == at, Why: why[name]}
		if h := here[name]; !h.IsZero() && !j.Fetched && unsound(ctx, w, ref, h) == nil {
			j.Here = h
		}
		//defence:junk-that-leads-to-records-stays
		j.Stays = j.Here.IsZero() && lacks(w.Repo, ref) && !errors.Is(j.Why, errNeedless) && leadsToRecords(w.Repo, at)
		out = append(out, j)
	}
	for _, name := range slices.Sorted(maps.Keys(here)) {
		sound := fetched[name]
		if why[name] != nil {
			sound = tree.Hash{}
		}
		if j := junkHere(ctx, w, workspace.RecordPrefix+name, here[name], sound); here[name] != sound && !j.Part.IsZero() {
			out = append(out, j)
		}
	}
	return out, ctx.Err()
}

// junkHere examines a ref of this clone. there is the sound record of the remote, or zero. Without one only
// runs are reset, because a clone that has all of a run publishes it again.
func junkHere(ctx context.Context, w *workspace.Workspace, ref string, here, there tree.Hash) Junk {
	j := Junk{Ref: ref, There: there, Here: here, OnThisSide: true}
	kind := workspace.KindOf(ref)
	if _, err := w.Repo.Commit(here); errors.Is(err, gitstore.ErrNoObject) || !workspace.Shared(ref) || kind == workspace.PullRef {
		return j // doctor reports it otherwise
	}
	if j.Why = unsound(ctx, w, ref, here); j.Why == nil {
		return j
	}
	if kind == workspace.RunRef {
		var err error
		if j.Part, err = w.Runs.ReadablePart(path.Base(ref), here); err != nil {
			return j // records may be below it
		}
	} else if !there.IsZero() {
		p := pulling{w: w}
		j.Part = p.newest(tree.Hash{}, here, func(at tree.Hash) error { return unsound(ctx, w, ref, at) })
	}
	j.Part = cmp.Or(j.Part, there)
	return j
}

// recordsThere returns the heads of the remote's record refs by name, those that could not be
// fetched included, and the error for each of these.
func recordsThere(ctx context.Context, w *workspace.Workspace, from string, unfetched *remote.Partly) (fetched map[string]tree.Hash, why map[string]error, err error) {
	why = map[string]error{}
	if fetched, err = heads(w.Repo, remote.Tracking(from, workspace.RecordPrefix)); err != nil || unfetched == nil {
		return fetched, why, err
	}
	there, err := refsThere(ctx, w, from)
	if err != nil {
		return nil, nil, err
	}
	for _, ref := range unfetched.Damaged() {
		if name, below := strings.CutPrefix(ref, workspace.RecordPrefix); below {
			fetched[name], why[name] = there[ref], unfetched.Err
		}
	}
	return fetched, why, nil
}

// unsound returns the reason why a commit is no record of the kind that a ref's name says; Damages
// examines the journals of proposals.
func unsound(ctx context.Context, w *workspace.Workspace, ref string, at tree.Hash) error {
	if !workspace.Shared(ref) {
		return errors.New("assent keeps nothing under such a name")
	}
	switch workspace.KindOf(ref) {
	case workspace.RunRef:
		return runlog.Readable(w.Repo, path.Base(ref), at)
	case workspace.FoldRef:
		return unsoundLine(w.Repo, local.Shelf(), at)
	case workspace.EndRef:
		return unsoundLine(w.Repo, runlog.Shelf(), at)
	case workspace.StopRef:
		_, err := w.StopRecords().At(strings.TrimPrefix(ref, workspace.StopPrefix), at)
		return err
	case workspace.TrialRef:
		return unsoundTrials(ctx, w, ref, at)
	case workspace.ArtifactsRef:
		if _, commit, _ := runlog.ParseArtifacts(ref); commit != at {
			return errors.New("it is at another commit than its name says")
		}
		_, err := w.Repo.Commit(at)
		return err
	}
	return nil
}

// errNeedless reports a line without which no journal is lost.
var errNeedless = errors.New("every journal that it names has its own ref here")

// unsoundLine returns why a line of folded journals is to be replaced: it cannot be read, contradicts
// what is folded here, or has false records and none that a reader needs.
func unsoundLine(repo *gitstore.Repo, shelf journal.Shelf, at tree.Hash) error {
	if err := shelf.Readable(repo, tree.Hash{}, at); err != nil {
		return err
	}
	ignored, others, err := shelf.Ignored(repo, at)
	if err != nil || len(ignored) == 0 || others > 0 {
		return err
	}
	c, err := repo.Commit(at)
	if err == nil && len(c.Parents) > 0 && shelf.RecordsAt(repo, c.Parents[0], func(journal.Record, error) error { return nil }) == nil {
		return nil // records may be below it
	}
	return errors.Join(err, fmt.Errorf("its record of %s is not true, and %w", ignored[0].Name, errNeedless))
}

// wrongStop returns why the remote's ref of a stop is to be replaced: it holds no record of
// that name, or another commit than the one that a human's record makes here.
func wrongStop(ctx context.Context, w *workspace.Workspace, ref string, here, there tree.Hash) error {
	id, records := strings.TrimPrefix(ref, workspace.StopPrefix), w.StopRecords()
	if _, err := records.At(id, there); err != nil || here.IsZero() || here == there {
		return err
	}
	cur, err := w.Session(ctx)
	if err != nil {
		return nil //nolint:nilerr // nothing says then whose record counts; other checks report why
	}
	ours, err := records.At(id, here)
	if err != nil || workspace.AdmitStop(cur, ours) != nil {
		return nil //nolint:nilerr // ours is no better
	}
	return errors.New("it is not the record that a human signed")
}

// unsoundTrials examines the newest batch of trials: a pull examines all that is new to it.
func unsoundTrials(ctx context.Context, w *workspace.Workspace, ref string, at tree.Hash) error {
	c, err := w.Repo.Commit(at)
	if err != nil {
		return err
	}
	cur, err := w.Session(ctx)
	if err != nil {
		return nil //nolint:nilerr // other checks name it
	}
	var before tree.Hash
	if len(c.Parents) > 0 {
		before = c.Parents[0]
	}
	err = triallog.Continues(triallog.New(w.Repo, cur.ID(), w.Now), trial.Writer(strings.TrimPrefix(ref, triallog.Prefix)), before, at)
	if errors.Is(err, trial.ErrVersion) {
		return nil
	}
	return err
}

// maxBelow bounds the commits below junk in which records are looked for.
const maxBelow = 1000

// leadsToRecords reports whether events or folded journals may be below a commit. An object that is
// not here may be anything.
func leadsToRecords(repo *gitstore.Repo, at tree.Hash) bool {
	found, n, enough := false, 0, errors.New("one is enough")
	err := repo.FirstParents(at, func(c gitstore.Commit) (bool, error) {
		_, event := journal.Last(repo, c.Hash)
		line := journal.Lines{}.RecordsAt(repo, c.Hash, func(journal.Record, error) error { return enough })
		for _, err := range []error{event, line} {
			found = found || err == nil || errors.Is(err, enough) || errors.Is(err, journal.ErrVersion)
		}
		n++
		return !found && n < maxBelow, nil
	})
	return found || errors.Is(err, gitstore.ErrNoObject)
}

// lacks reports whether this clone may lack the record of a ref, or of the ref that one of a foreign
// name below it stands in place of: refs/assent/pulls/ID for refs/assent/pulls/ID/x.
func lacks(repo *gitstore.Repo, ref string) bool {
	if workspace.Shared(ref) {
		return true
	}
	for at := path.Dir(ref); at != "."; at = path.Dir(at) {
		var has bool
		var err error
		switch workspace.KindOf(at) {
		case workspace.ForeignRef:
			continue
		case workspace.PullRef:
			has, err = local.Shelf().Has(repo, path.Base(at))
		case workspace.RunRef:
			has, err = runlog.Shelf().Has(repo, path.Base(at))
		default:
			_, err = repo.Ref(at)
			has = err == nil
		}
		return !has || err != nil
	}
	return false
}

// heads returns the refs below a prefix by the rest of their names. It leaves out broken
// ones, which doctor reports.
func heads(repo *gitstore.Repo, prefix string) (map[string]tree.Hash, error) {
	refs, err := repo.Refs(prefix)
	if _, err = gitstore.BrokenRefs(err); err != nil {
		return nil, err
	}
	out := map[string]tree.Hash{}
	for _, ref := range refs {
		out[ref.Name[len(prefix):]] = ref.Hash
	}
	return out, nil
}

// Replace replaces the junk on the remote by this clone's ref, or deletes it if there is
// none. The remote's ref moves by compare-and-swap, and a local ref keeps the junk if it could be
// fetched. Junk in this clone is reset, and what the remote has is imported.
func Replace(ctx context.Context, w *workspace.Workspace, from string, j Junk) error {
	if j.OnThisSide {
		err := w.Repo.Update(gitstore.RefUpdate{Name: j.Kept(), New: j.Here, Any: true, Reflog: "assent: kept as evidence"},
			gitstore.RefUpdate{Name: j.Ref, Old: j.Here, New: j.Part, Reflog: "assent: restored"})
		if err == nil {
			_, err = takeBelow(ctx, w, from, j.Ref)
		}
		return err
	}
	if j.Stays {
		return errors.New("it may lead to records that this clone lacks")
	}
	evidence := gitstore.RefUpdate{Name: j.Kept(), New: j.There, Any: true, Reflog: "assent: kept as evidence"}
	err := w.Repo.Update(evidence)
	if err != nil && !errors.Is(err, gitstore.ErrNoObject) {
		return fmt.Errorf("keep the ref of %s as evidence: %w", from, err)
	}
	old := j.There
	if err == nil && !j.Here.IsZero() {
		//defence:repairs-lose-no-record-below-junk
		j.Here, err = takeBelow(ctx, w, from, j.Ref)
		if err != nil {
			return err
		}
	}
	if err != nil { // git accepts no objects while one of its refs is dangling, but lets that ref be deleted
		if err := swap(ctx, w, from, remote.Move{Ref: j.Ref, Old: old}); err != nil {
			return err
		}
		old = tree.Hash{}
	}
	if j.Fetched {
		err := w.Repo.Update(gitstore.RefUpdate{Name: j.Ref, Old: j.There, Reflog: "assent: no record of its kind"})
		var stale *gitstore.ErrStale
		if gone := errors.As(err, &stale) && stale.Got.IsZero(); err != nil && !gone {
			return err
		}
	}
	if old == j.Here {
		return nil
	}
	return swap(ctx, w, from, remote.Move{Ref: j.Ref, Old: old, New: j.Here})
}

// takeBelow imports the records of a remote that can be read below junk, as a pull does, and returns
// what a ref names here then.
func takeBelow(ctx context.Context, w *workspace.Workspace, from, ref string) (tree.Hash, error) {
	p := pulling{w: w, forge: w.Record, out: Pulled{Remote: from}, parts: openParts(w.Repo.CommonDir(), from)}
	ofRun := func(ctx context.Context) error { return joinPart(ctx, &p, ref) } // a pull leaves out what is large
	for _, step := range []func(context.Context) error{p.observe, ofRun, p.lines, p.trials} {
		if err := step(ctx); err != nil {
			return tree.Hash{}, fmt.Errorf("import what can be read of %s: %w", from, err)
		}
	}
	return refOrZero(w.Repo, ref)
}

// joinPart imports what can be read of the journal at a run's ref on the remote.
func joinPart(ctx context.Context, p *pulling, ref string) error {
	if workspace.KindOf(ref) != workspace.RunRef || p.there[ref].IsZero() {
		return nil
	}
	id := path.Base(ref)
	part, err := p.w.Runs.ReadablePart(id, p.there[ref])
	if err == nil && !part.IsZero() {
		_, err = joinRun(ctx, p, id, part)
	}
	return err
}
