package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Progress receives the numbers of examined and of all commits.
type Progress func(done, total int)

// verifier is one walk over a workspace's record.
type verifier struct {
	*findings
	*mainLine
	journals    *journalReader
	checkpoints *checkpointReader
	merges      *mergeJudge
}

// mainLine is main since genesis.
type mainLine struct {
	w *workspace.Workspace
	// line has the commits, oldest first; place maps each to its index.
	line  []gitstore.Outline
	place map[tree.Hash]int
	// governing are the commits that were in force when others were judged, oldest first:
	// the governed folders were unchanged between two of them.
	governing []tree.Hash
}

// mergeJudge judges every merge on main again.
type mergeJudge struct {
	*findings
	*mainLine
	checkpoints *checkpointReader
	progress    Progress
	// refused are the commits past the gate.
	refused []attest.Unattested
	// revoked are the keys that roles.yaml on main revokes, relied the merges that used
	// one of them.
	revoked []policy.Revocation
	relied  []Relied
}

// Verify checks the whole record and stops at the first fault. Witnesses are checkpoints
// kept elsewhere: the record must contain everything they recorded. An error means that
// the check could not be completed.
func Verify(ctx context.Context, w *workspace.Workspace, progress Progress, witnesses ...Witness) (Result, error) {
	v := newVerifier(w, progress, witnesses)
	err := v.run(ctx)
	return v.res, err
}

func newVerifier(w *workspace.Workspace, progress Progress, witnesses []Witness) *verifier {
	found := &findings{res: Result{
		ByTier: map[string]int{}, Others: []Break{}, Unproven: []Reservation{}, Reservations: []Reservation{}, Unrecorded: []Reservation{}, Excepted: []Reservation{}, Doubtful: []Relied{}, Reanchored: []workspace.Reanchor{}, Resolved: []attest.Unattested{}, Witnesses: []Seen{},
	}}
	line := &mainLine{w: w, place: map[tree.Hash]int{}}
	checkpoints := &checkpointReader{findings: found, mainLine: line}
	for _, given := range witnesses {
		checkpoints.witnesses = append(checkpoints.witnesses, &witness{Witness: given})
	}
	return &verifier{
		findings: found, mainLine: line, checkpoints: checkpoints,
		journals: &journalReader{findings: found, mainLine: line, ended: []checkpoint.Journal{}, folds: []checkpoint.Fold{}},
		merges:   &mergeJudge{findings: found, mainLine: line, checkpoints: checkpoints, progress: progress},
	}
}

func (v *verifier) run(ctx context.Context) error {
	if err := v.readMain(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) (*Break, error){
		v.checkGenesis, v.checkpoints.compareAll, v.judgeMainFirst(v.journals.findMissing), v.judgeMainFirst(v.journals.readAll),
		v.merges.judgeAll, v.checkpoints.checkSigners, v.compareMemory, v.merges.listDoubtful,
	} {
		b, err := step(ctx)
		if err != nil {
			return fmt.Errorf("verify the record: %w", err)
		}
		if b != nil {
			v.res.Broken = b
			return nil
		}
	}
	return nil
}

// judgeMainFirst wraps a step that reads journals. If the step finds damage, main is judged as well,
// and a break of main is reported first: an attacker who can write one journal must not hide
// a break. A break caused by the damaged or missing journal itself is not reported twice.
func (v *verifier) judgeMainFirst(step func(context.Context) (*Break, error)) func(context.Context) (*Break, error) {
	return func(ctx context.Context) (*Break, error) {
		found, err := step(ctx)
		if found == nil || err != nil {
			return found, err
		}
		cur, err := v.w.Rejudged(ctx, func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
			_, _, err := v.w.Rejudge(ctx, before, c)
			return err
		})
		if err != nil {
			return found, ctx.Err() // the state in force cannot be determined: the first fault counts
		}
		at := slices.IndexFunc(cur.Blocked, func(b attest.Unattested) bool {
			return b.Break && b.Proposal != found.Proposal && !slices.Contains(found.Refs, local.PullPrefix+b.Proposal)
		})
		//defence:damage-hides-no-break
		if at >= 0 {
			if b := v.breakOf(&cur.Blocked[at]); b != nil {
				v.res.Others = append(v.res.Others, *found)
				return b, nil
			}
		}
		return found, nil
	}
}

// breakOf describes a break of main.
func (v *findings) breakOf(b *attest.Unattested) *Break {
	return v.broken(RuleBreak, b.WaysOut(), "%s", b.BreakWhy()).at(b.Commit, b.Proposal)
}

// readMain reads main's line since genesis.
func (v *verifier) readMain(ctx context.Context) error {
	tip, err := v.w.Repo.Ref(attest.MainRef)
	if errors.Is(err, gitstore.ErrNoRef) {
		return attest.ErrNoMain
	}
	if err != nil {
		return fmt.Errorf("read main: %w", err)
	}
	genesis := -1
	err = v.w.Repo.Lineage(tip, func(c gitstore.Commit) (bool, error) {
		v.line = append(v.line, c.Outline())
		if c.Trailer(attest.GenesisTrailer) != "" {
			genesis = len(v.line)
		}
		return true, ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("walk main: %w", err)
	}
	if genesis < 0 {
		return attest.ErrNoGenesis
	}
	v.line = v.line[:genesis]
	slices.Reverse(v.line)
	for i, c := range v.line {
		v.place[c.Hash] = i
	}
	v.res.Workspace, v.res.Main, v.res.Commits = v.line[0].Hash, tip, len(v.line)
	return nil
}

const backup = "compare with another clone or a backup; do not approve or merge anything here before it is explained"

// checkGenesis checks the signer of the first commit.
//
//defence:audit-genesis
func (v *verifier) checkGenesis(context.Context) (*Break, error) {
	c, err := v.w.Repo.Commit(v.line[0].Hash)
	if err != nil {
		return nil, err
	}
	view, err := v.w.Repo.Snapshot(c.Hash)
	if err != nil {
		return nil, err
	}
	policies, _ := v.w.PoliciesAt(view)
	if err := workspace.Readable(policies); err != nil {
		return nil, err
	}
	if c.Signature == "" {
		return v.broken(RuleGenesisSignature, backup, "the genesis commit is not signed").at(c.Hash, ""), nil
	}
	key, err := review.VerifyCommit(c.Payload(), []byte(c.Signature))
	if err != nil {
		return v.broken(RuleGenesisSignature, backup, "the genesis commit: %v", err).at(c.Hash, ""), nil
	}
	if _, ok := policies.Roles.ByKey(key); !ok {
		return v.broken(RuleGenesisKey, backup, "the genesis commit is signed with %s, which its %s does not list", key, policy.RolesFile).at(c.Hash, ""), nil
	}
	return nil, nil
}

// judgeAll judges every merge again.
//
//defence:audit-merges
func (v *mergeJudge) judgeAll(ctx context.Context) (*Break, error) {
	var stop *stopped
	if view, err := v.w.Repo.Snapshot(v.res.Main); err == nil { // else the walk reports it
		policies, _ := v.w.PoliciesAt(view)
		for _, id := range policies.Roles.All() {
			v.revoked = append(v.revoked, id.Revoked...)
		}
	}
	cur, err := v.w.Rejudged(ctx, v.judge)
	if errors.As(err, &stop) {
		return stop.at, nil
	}
	if err != nil {
		return nil, err
	}
	v.res.InForce = cur.InForce
	v.governing = append(v.governing, cur.InForce)
	for _, r := range v.refused {
		blocked := slices.ContainsFunc(cur.Blocked, func(b attest.Unattested) bool { return b.Commit == r.Commit })
		if !blocked {
			v.res.Resolved = append(v.res.Resolved, r)
		}
	}
	if len(cur.Blocked) == 0 {
		return nil, nil
	}
	first := cur.Blocked[0]
	if broken := cur.Break(); broken != nil {
		if b := v.breakOf(broken); b != nil {
			return b, nil
		}
	}
	c, err := v.w.Repo.Passable(first.Commit)
	if err != nil {
		return nil, err
	}
	if id := attest.ProposalNamed(c); id != "" {
		return v.broken(RuleMerge, backup, "%s", first.Why).at(c.Hash, id), nil
	}
	return v.broken(RuleUnattested, first.Remedy(),
		"%s", first.Why).at(c.Hash, ""), nil
}

// stopped ends a walk at a break.
type stopped struct{ at *Break }

func (s *stopped) Error() string { return s.at.Reason }

// judge is the strict judge: it also compares the attestation with its findings.
func (v *mergeJudge) judge(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
	if v.progress != nil {
		v.progress(v.place[c.Hash], len(v.line))
	}
	v.governing = append(v.governing, before.InForce)
	r, is, err := v.w.ReanchorOf(before, c)
	if err != nil {
		return err
	}
	att, ex, err := v.w.Rejudge(ctx, before, c, v.checkpoints.vouchers(c)...)
	var damaged *forge.Damaged
	switch {
	case errors.As(err, &damaged):
		if b := v.broken(RuleJournal, backup, "%v", damaged).at(c.Hash, damaged.ID, damaged.Where); b != nil {
			return &stopped{b}
		}
		return attest.Refuse("%v", damaged)
	case attest.IsRefusal(err):
		if failed := v.keepRefused(c, err); failed != nil {
			return failed
		}
		return err
	case err != nil:
		return err
	case is:
		v.res.Reanchored = append(v.res.Reanchored, r)
		return nil
	}
	if b := v.compare(c, att, ex); b != nil {
		return &stopped{b.at(c.Hash, att.Proposal)}
	}
	if b := v.checkSignature(c, att, ex); b != nil {
		return &stopped{b.at(c.Hash, att.Proposal)}
	}
	for _, key := range v.revoked {
		if r, part := reliedOn(att, ex, c, key.Key); part && !r.At.Before(key.From) {
			v.relied = append(v.relied, r)
		}
	}
	v.res.Merges++
	v.res.ByTier[att.Risk.String()]++
	if ex.Excepted != "" {
		v.res.Excepted = append(v.res.Excepted, Reservation{att.Proposal, c.Hash, ex.Excepted})
	} else {
		v.noteReservations(c, ex)
	}
	return nil
}

// keepRefused records a commit that changed governed folders past the gate. Most later
// commits are refused too, though not for a fault of their own.
func (v *mergeJudge) keepRefused(c gitstore.Commit, why error) error {
	paths, err := attest.OwnPaths(v.w.Repo, c)
	if gitstore.IsUnfit(err) { // main's standing names it
		return nil
	}
	if err != nil || len(paths) == 0 {
		return err
	}
	u := attest.Unattested{Commit: c.Hash, Subject: c.Subject(), Author: c.Author.Name, Why: why.Error(), Paths: paths}
	v.refused = append(v.refused, u)
	return nil
}

// listDoubtful lists the merges that used a key after its owner lost control of it, with
// the decisions of humans about each.
func (v *mergeJudge) listDoubtful(ctx context.Context) (*Break, error) {
	if len(v.relied) == 0 {
		return nil, nil
	}
	cur, _, err := v.w.Look(ctx)
	if err == nil {
		err = settle(ctx, cur, v.relied)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range v.relied {
		if r.Remains() && (r.Needed || len(r.Again)+len(r.Excepted) > 0) {
			v.res.Doubtful = append(v.res.Doubtful, r)
		}
	}
	return nil, nil
}

// compareMemory compares with the state that this machine saw before. A state proved by a
// checkpoint is remembered, because the checkpoint may not be given again.
//
//defence:audit-memory
func (v *verifier) compareMemory(ctx context.Context) (*Break, error) {
	cur, _, err := v.w.Look(ctx)
	if errors.Is(err, attest.ErrRollback) {
		return v.broken(RuleRollback, "git reflog show main tells who moved it; "+backup, "%v", err), nil
	}
	if err != nil {
		return nil, err
	}
	if cur.Main == v.res.Main && cur.InForce != v.res.InForce {
		if len(v.res.Excepted) > 0 && len(v.checkpoints.witnesses) > 0 && v.place[cur.InForce] < v.place[v.res.InForce] {
			return nil, v.w.Memory().Saw(ctx, v.res.Workspace, v.res.InForce)
		}
		return v.broken(RuleSeen, "keep what this machine remembers: it shows that either history or the memory is not right; "+
			"compare checkpoints with others who work on it (assent audit checkpoint)",
			"this machine takes %s for in force, all of history gives %s", cur.InForce.Short(), v.res.InForce.Short()), nil
	}
	return nil, nil
}
