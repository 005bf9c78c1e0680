package runlog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// AsidePrefix holds journals with local records that no longer fit another clone's. AsideDecisions reads them.
const AsidePrefix = "refs/assent-aside/runs/"

// Joined is the result of joining one run.
type Joined struct {
	// Took counts records of the other clone, Again own ones that now follow them.
	Took, Again int
	// State is the run after that.
	State run.State
	// Aside are own records that are no longer possible; AsideRef keeps them.
	Aside    []Aside
	AsideRef string
}

// Aside is a record that could not be appended again.
type Aside struct {
	Record run.Record
	Why    string
}

// AsideDecisions returns this clone's decisions about a run that pulls set aside. State.Overridden tells which are void.
func AsideDecisions(repo *gitstore.Repo, id string) (decisions []run.Record, err error) {
	refs, err := repo.Refs(AsidePrefix + id + "/")
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		events, err := journal.ReadAt(repo, ref.Hash)
		if err != nil {
			return nil, err
		}
		there, err := records(events)
		if err != nil {
			return nil, err
		}
		for _, r := range there {
			if r.Decision() != "" && !slices.ContainsFunc(decisions, func(o run.Record) bool { return reflect.DeepEqual(r, o) }) {
				decisions = append(decisions, r)
			}
		}
	}
	return decisions, nil
}

// joinAttempts bounds how often it is decided again while others write here.
const joinAttempts = 64

// Join brings a run of this repository forward to the journal of another one, whose last record is
// theirs. If both went on since they were equal, their records stay, and ours are appended again
// if still possible. Of those that the engine derives, the others are left out: it derives them again.
//
// In the joined journal, no record of ours is about a job before those that it needs are settled, or rests
// on a record or a commit of ours that was left out. flow is the workflow that a run recorded, zero if it
// is not known; delivered reports whether a commit is part of a proposal after joining.
func (l Log) Join(id string, theirs tree.Hash, flow func(run.State) workflow.Workflow, delivered func(proposal, head string) bool) (Joined, error) {
	if !IsID(id) {
		return Joined{}, fmt.Errorf("%q: %w", id, ErrNone)
	}
	for range joinAttempts {
		at, err := l.repo.Ref(Shelf().Ref(id))
		if err != nil && !errors.Is(err, gitstore.ErrNoRef) {
			return Joined{}, err
		}
		j := joining{repo: l.repo, id: id, flow: flow, delivered: delivered, lost: map[string]bool{}}
		moves, err := j.moves(at, theirs)
		if err == nil && len(moves) > 0 {
			err = l.repo.Update(moves...)
		}
		var stale *gitstore.ErrStale
		if !errors.As(err, &stale) {
			return j.out, err
		}
	}
	return Joined{}, fmt.Errorf("join run %s: %w", id, journal.ErrContended)
}

// Readable returns why the journal that ends at an event is not one of this run, as joins require it.
func Readable(repo *gitstore.Repo, id string, at tree.Hash) error {
	events, err := journal.ReadAt(repo, at)
	if err == nil {
		err = journal.Check(repo, events)
	}
	if err == nil {
		_, err = fold(id, events)
	}
	return err
}

// ReadablePart returns the newest event up to which the journal of a run is valid, or zero, like
// journal.Valid. A journal that begins as ours does counts first.
func (l Log) ReadablePart(id string, at tree.Hash) (tree.Hash, error) {
	var first tree.Hash
	if own, err := Shelf().Read(l.repo, id); err == nil && len(own) > 0 {
		first = own[0].Commit
	}
	return journal.Valid(l.repo, at, first, func(at tree.Hash) error { return Readable(l.repo, id, at) })
}

// joining is one run being joined.
type joining struct {
	repo      *gitstore.Repo
	id        string
	flow      func(run.State) workflow.Workflow
	delivered func(proposal, head string) bool
	out       Joined
	history   []journal.Event
	records   []run.Record
	state     run.State
	follows   workflow.Workflow
	// news are the records there that are not here.
	news []run.Record
	// lost are the jobs with a local record that was left out. Later local records of
	// such a job, and of those that need it, depend on it.
	lost map[string]bool
}

func (j *joining) moves(at, theirs tree.Hash) ([]gitstore.RefUpdate, error) {
	own, err := Shelf().Read(j.repo, j.id)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", j.id, err)
	}
	if j.history, err = journal.ReadAt(j.repo, theirs); err != nil {
		return nil, fmt.Errorf("run %s: %w", j.id, err)
	}
	if j.records, err = records(j.history); err == nil {
		j.state, err = run.Of(j.id, j.records)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s, as it is there: %w", j.id, err)
	}
	same := 0
	for same < min(len(own), len(j.history)) && own[same].Commit == j.history[same].Commit {
		same++
	}
	if same == len(j.history) { // nothing there that is not here
		return nil, nil
	}
	//defence:steps-in-another-form-stay-out
	if err := journal.Check(j.repo, j.history[same:]); err != nil { // an audit would refuse them
		return nil, fmt.Errorf("run %s: %w", j.id, err)
	}
	j.out.Took, j.follows, j.news = len(j.history)-same, j.flow(j.state), j.records[same:]
	for _, e := range own[same:] {
		if err := j.again(e); err != nil {
			return nil, err
		}
	}
	var moves []gitstore.RefUpdate
	j.out.State = j.state
	if len(j.out.Aside) > 0 {
		last := own[len(own)-1].Commit
		j.out.AsideRef = AsidePrefix + j.id + "/" + last.Short()
		moves = append(moves, gitstore.RefUpdate{Name: j.out.AsideRef, New: last, Any: true, Reflog: "assent: pull"})
	}
	return append(moves, gitstore.RefUpdate{Name: Shelf().Ref(j.id), Old: at, New: j.history[len(j.history)-1].Commit, Reflog: "assent: pull"}), nil
}

// again appends one of our records, unless the same is there or it cannot stand any more.
func (j *joining) again(e journal.Event) error {
	r, err := recordOf(e)
	if err != nil {
		return err
	}
	if j.has(r) {
		return nil
	}
	if why := j.impossible(r); why != "" {
		j.lost[r.Job] = j.lost[r.Job] || r.Kind != run.Reminded
		if !derived(r) {
			j.out.Aside = append(j.out.Aside, Aside{r, why})
		}
		return nil
	}
	stored, err := journal.Continue(j.repo, j.history, e)
	if err != nil {
		return err
	}
	j.history, j.records = append(j.history, stored), append(j.records, r)
	j.out.Again++
	j.state, err = run.Of(j.id, j.records)
	return err
}

// derived reports whether an engine writes a record on its own, and again when it is due.
func derived(r run.Record) bool {
	switch r.Kind {
	case run.Asked, run.Reminded, run.Skipped, run.Lost:
		return true
	case run.Ended:
		return r.Outcome != run.Cancelled
	case run.Done, run.Failed:
		return r.Result == nil && r.Attempt == 0
	}
	return false
}

// has reports whether an equal record exists: the same act, or the record that another engine
// derived from the same state.
func (j *joining) has(r run.Record) bool {
	for _, there := range j.records {
		if r.Kind == run.Started && there.Kind == run.Started {
			return there.Start != nil && sameStart(*r.Start, *there.Start)
		}
		if reflect.DeepEqual(r, there) || derived(r) && r.Kind == there.Kind && r.Job == there.Job && r.Attempt == there.Attempt && r.Outcome == there.Outcome && reflect.DeepEqual(r.Report, there.Report) {
			return true
		}
	}
	return false
}

func sameStart(a, b run.Start) bool {
	return a.Workflow == b.Workflow && a.Event == b.Event && a.About == b.About && a.For == b.For && maps.Equal(a.Inputs, b.Inputs)
}

// impossible says why one of our records cannot follow theirs; empty if it can.
func (j *joining) impossible(r run.Record) string {
	switch {
	case r.Kind == run.Started:
		j.lost[""] = true
		return "it was started there with other inputs"
	case j.lost[""]:
		return "the run was started there with other inputs"
	case r.Kind == run.Ended && derived(r):
		return "the run goes on"
	case j.lost[r.Job]:
		return "the job was worked on there, too"
	case r.Kind == run.Lost && slices.ContainsFunc(j.news, func(n run.Record) bool { return n.Kind == run.Renewed && n.Job == r.Job && n.Attempt == r.Attempt }):
		return "the script runs there"
	case (r.Kind == run.Done || r.Kind == run.Failed) && !j.contains(r):
		return "it is about a commit that is not part of the proposal"
	}
	about, _ := j.follows.Job(r.Job)
	for _, before := range j.follows.Ancestors(about) {
		if j.lost[before.Name] {
			return "it followed work on " + before.Name + " that was left out"
		}
	}
	if r.Kind == run.Skipped && r.Outcome == run.Broke && !run.Prevented(j.follows, j.state, r.Job) {
		return "no failure prevents it"
	}
	if _, err := run.Of(j.id, append(j.records[:len(j.records):len(j.records)], r)); err != nil {
		return "another record came first there"
	}
	return ""
}

// contains reports whether the proposal has the commits that a result is about.
func (j *joining) contains(r run.Record) bool {
	proposal := cmp.Or(r.Proposal, j.state.Proposal)
	return (r.Head == "" || j.delivered(proposal, r.Head)) && (r.Report == nil || j.delivered(proposal, r.Report.Head))
}
