package gc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// The outcomes for one capability that is deprecated, retired, unused or of low utility.
const (
	Proposed = "proposed"
	Would    = "would propose" // in a dry run
	Open     = "open"          // it is proposed already
	Settled  = "settled"       // the same was proposed before, and rejected, taken back, or ended lately
	Kept     = "kept"
	// Withdrawn is what was proposed and is not true any more; WouldWithdraw the same in a dry run.
	Withdrawn     = "withdrawn"
	WouldWithdraw = "would withdraw"
	// Unread is an archived capability that cannot be read, or limits.yaml if missions are unread that say what goes at
	// its cap.
	Unread = "unread"
)

// The kinds of findings.
const (
	Archive  = "archive"
	Restore  = "restore"
	Conflict = "conflict"
	// FollowUp is the question of another package whether a skill is needed after a repair; here it is withdrawn only.
	FollowUp = "follow-up"
)

// Result is the result for one finding: a capability that is deprecated, retired, unused or of low utility, an
// archived one that matters again, or two skills in conflict.
type Result struct {
	Kind       string `json:"kind"`
	Capability string `json:"capability"`
	// Other is the other skill of a conflict.
	Other   string `json:"other,omitempty"`
	Path    string `json:"path"`
	Outcome string `json:"outcome"`
	// Proposal is the id of the proposal that settles it, "" for none.
	Proposal string `json:"proposal"`
	// Reasons are the evidence, why it stays, or the state of the proposal.
	Reasons []string `json:"reasons"`
}

// Run proposes to archive capabilities in force that are no longer needed, to restore archived ones that are
// required or whose test cases matter again, and to settle conflicts of skills. It can be killed anywhere and run
// concurrently. The results are ordered by path; those before an error are valid.
func Run(ctx context.Context, w *workspace.Workspace, dryRun bool) ([]Result, error) {
	in, err := propose.Begin(ctx, w)
	if err != nil {
		return nil, err
	}
	o := opener{w, in, dryRun, map[string]bool{}, map[string]bool{}}
	seen, err := observe(in.Session())
	if err != nil {
		return nil, err
	}
	if seen.asked, err = o.asking(ctx); err != nil {
		return nil, err
	}
	for _, a := range seen.asked {
		o.own[a.pull.ID] = true
	}
	found, err := look(in.Session(), seen)
	if err != nil {
		return nil, err
	}
	out, err := o.archive(ctx, seen, found)
	for _, others := range []func(context.Context, observed) ([]Result, error){o.restore, o.settle, o.followUps} {
		if err != nil {
			return out, err
		}
		var more []Result
		more, err = others(ctx, seen)
		out = append(out, more...)
	}
	order.Stable(out, func(a, b Result) int { return strings.Compare(a.Path, b.Path) })
	return out, err
}

// settle asks what to do about conflicts.
func (o opener) settle(ctx context.Context, seen observed) ([]Result, error) {
	offers, err := conflicts(ctx, o.in.Session(), seen)
	if err != nil {
		return nil, err
	}
	return o.answer(ctx, Conflict, offers, seen, seen.reconciled)
}

// archive proposes the candidates that nothing keeps. Of those that only the cap speaks against, it
// proposes as many as free a place.
//
// The open proposals come first: they free places, and one for each capability is enough, on whatever
// ground. What is no longer true is withdrawn.
func (o opener) archive(ctx context.Context, seen observed, found []*candidate) (out []Result, err error) {
	places := len(seen.learned) - o.in.Session().Policies.Limits.Synthesised + 1 // as the gate counts them
	for _, a := range seen.asked {
		if a.kind != Archive {
			continue
		}
		c := candidateAt(found, a.content.Path)
		r, err := o.review(ctx, a, a.refuted(o, seen, c))
		if err != nil {
			return out, err
		}
		if r.Outcome == Open && seen.learned[names.Fold(a.content.Name)] {
			places--
		}
		out = append(out, r)
		found = slices.DeleteFunc(found, func(other *candidate) bool { return other == c })
	}
	visit := func(c *candidate) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r := Result{Kind: Archive, Capability: c.Name, Path: c.Path, Outcome: Kept, Reasons: c.kept}
		if len(c.kept) == 0 {
			if err := o.open(ctx, c.offer(o.in.Session()), &r); err != nil {
				return fmt.Errorf("archive %s: %w", c.Name, err)
			}
		}
		if seen.learned[names.Fold(c.Name)] && (r.Outcome == Proposed || r.Outcome == Would || r.Outcome == Open) {
			places--
		}
		out = append(out, r)
		return nil
	}
	// Those that go for another reason free places first, then those that are deprecated.
	var old, rest []*candidate
	for _, c := range found {
		if c.onlyLow() && outdated(c.Entry) {
			old = append(old, c)
		} else if c.onlyLow() {
			rest = append(rest, c)
		} else if err := visit(c); err != nil {
			return out, err
		}
	}
	order.Stable(old, lower)
	order.Stable(rest, lower)
	place := 0
	for _, c := range slices.Concat(old, rest) {
		if places <= 0 {
			break
		}
		if len(c.kept) == 0 {
			place++
			c.measured.place = place
		}
		if err := visit(c); err != nil {
			return out, err
		}
	}
	if seen.unread != nil && places > 0 {
		out = append(out, Result{Kind: Archive, Path: policy.LimitsFile, Outcome: Unread, Reasons: []string{fmt.Sprintf(
			"agents made as many capabilities as it admits, and which one goes is unknown: %v", seen.unread)}})
	}
	return out, nil
}

// Summary names the opened proposals, and those that were withdrawn with the reason; "" for none.
func Summary(all []Result) (proposed, withdrawn string) {
	var ids, gone []string
	for _, r := range all {
		switch r.Outcome {
		case Proposed:
			ids = append(ids, r.Proposal)
		case Withdrawn:
			gone = append(gone, r.Proposal+": "+strings.Join(r.Reasons, "; "))
		}
	}
	return strings.Join(ids, ", "), strings.Join(gone, ", ")
}

// observed is what findings are judged by.
type observed struct {
	all     []index.Entry
	learned map[string]bool
	// missions are those of known installations, the oldest first; none if a journal that may hold
	// others cannot be read.
	missions []trial.Mission
	// unread names such journals that cannot be read; nil for none.
	unread error
	installations
	// states are the health of capabilities with code, by folder.
	states map[string]health.State
	// activity is when capabilities were used, and what was recorded since since.
	activity trial.Activity
	since    time.Time
	asked    []asked
}

func observe(cur workspace.Session) (out observed, err error) {
	if out.all, err = cur.Capabilities.Entries(func(index.Entry) bool { return true }); err != nil {
		return out, err
	}
	if out.learned, err = workspace.Brought(cur, cur.View); err != nil {
		return out, err
	}
	out.missions, out.unread = triallog.KnownMissions(workspace.TrialsOf(cur), cur.Policies.Retention.Trials.Writers)
	if out.unread != nil {
		out.missions = nil
	}
	out.installations = installationsOf(cur.Policies.Retention.Trials.Writers)
	if out.states, err = quarantine.States(cur, workspace.HealthOf(cur)); err != nil {
		return out, err
	}
	out.activity, out.since, err = activity(cur)
	return out, err
}

// look gathers the candidates with all that keeps them.
func look(cur workspace.Session, o observed) ([]*candidate, error) {
	all := o.all
	lowest := low(cur, o, o.activity.Used)
	out := merged(lowest, unused(o))
	for _, e := range all {
		if outdated(e) && candidateAt(out, e.Path) == nil {
			out = append(out, &candidate{Entry: e})
		}
	}
	if out = o.waiting(out); len(out) == 0 {
		return nil, nil
	}
	var folders []string
	for _, c := range out {
		folders = append(folders, c.Path)
	}
	changed, err := audit.LastChanges(cur.Repo, cur.InForce, folders)
	if err != nil {
		return nil, err
	}
	for _, c := range out {
		if len(c.grounds()) == 0 && !c.asked {
			c.keep("%s", c.measured.lines()[0])
			continue
		}
		c.missions, c.by = o.missions, o.installations
		c.changed = changed[c.Path]
		if !c.asked {
			c.aged(cur.Now(), cur.Policies.Retention)
		}
		if c.deprecated() {
			c.succeeded(o)
		}
		c.needed(all)
		if len(c.kept) > 0 {
			continue
		}
		if err := c.read(cur.View, o); err != nil {
			return nil, err
		}
	}
	return out, mentioned(cur.View, out)
}

// read judges the facts that only the folders hold.
func (c *candidate) read(v *workspace.View, o observed) error {
	own, _, err := capability.Load(v, c.Path)
	if err != nil {
		return fmt.Errorf("read %s: %w", c.Path, err)
	}
	others := c.line
	if c.successor == nil {
		others = c.siblings(o.all)
	}
	var loaded []capability.Capability
	for _, e := range others {
		other, _, err := capability.Load(v, e.Path)
		if err != nil {
			return fmt.Errorf("read %s: %w", e.Path, err)
		}
		c.named(e.Name, "can use", other.Record.Requires.Optional...)
		c.named(e.Name, "enhances", other.Record.Enhances...)
		if c.successor != nil && e.Path == c.successor.Path {
			c.covered(own, other)
		}
		if broken(e, o.states) == "" {
			loaded = append(loaded, other)
		}
	}
	if c.successor == nil {
		c.alone(own, loaded)
	}
	return nil
}

// The grounds to archive an active capability, the strongest first, and idleness and deprecation, which have
// no name of their own: they exclude each other.
const (
	unnamedGround = ""
	capGround     = "cap"
)

// grounds lists the kinds of evidence against a candidate, the strongest first.
func (c *candidate) grounds() (out []string) {
	if m := c.measured; m != nil && m.shown() {
		out = append(out, m.Verdict)
	}
	if c.deprecated() || c.idle != nil || c.measured != nil && !c.measured.since.IsZero() {
		out = append(out, unnamedGround)
	}
	if c.measured != nil && c.measured.cap > 0 {
		out = append(out, capGround)
	}
	return out
}

// finding is the offer to archive this content for one kind of evidence, without the means to open it.
func finding(workspaceID string, e index.Entry, ground string) offer {
	of := offer{Finding: propose.Finding{Title: string(proposal.Archive) + " " + e.Name, Key: []string{"gc", workspaceID, e.Path, e.Tree.String()}, Is: propose.Removes(e.Path)}}
	if ground != unnamedGround {
		of.Key = append(of.Key, ground)
	}
	return of
}

func (c *candidate) offer(cur workspace.Session) offer {
	of := finding(cur.ID(), c.Entry, c.grounds()[0])
	of.again = "it was archived by this proposal and brought back as it was"
	of.ways = func(id string) ([]request, error) {
		r, err := c.request(cur, id)
		return []request{{Request: r, Capability: c.Name, Path: c.Path, evidence: c.evidence()}}, err
	}
	return of
}
