package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// succeeded is the prefix that TestDefencesAreNeeded looks for in the output.
const succeeded = "the attack succeeds: "

// succeeds reports that an attack reached its goal.
func (d *world) succeeds(format string, args ...any) {
	d.Helper()
	d.Errorf(succeeded+format, args...)
}

// because checks that a reason names why the attack failed.
func (d *world) because(got string, want ...string) {
	d.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			d.Errorf("the reason is %q, and it does not say %q", got, w)
		}
	}
}

// found checks that the expected rule refused an attack.
func (d *world) found(ds diag.List, rules ...string) {
	d.Helper()
	if !ds.HasErrors() {
		d.succeeds("nothing refuses it: %v", ds)
		return
	}
	for _, rule := range rules {
		if !has(ds, rule) {
			d.Errorf("refused, but not by %s: %v", rule, ds)
		}
	}
}

func has(ds diag.List, rule string) bool {
	for _, one := range ds {
		if one.Rule == rule && one.Severity == diag.Error {
			return true
		}
	}
	return false
}

// unchanged checks that the attack left the state in force unchanged, for a reader who remembers
// it and for one who sees the repository for the first time.
func (d *world) unchanged() workspace.Session {
	d.Helper()
	d.reopen()
	cur, err := d.Session(d.Context())
	if err != nil {
		d.succeeds("nobody can read it any more: %v", err)
		d.FailNow()
	}
	d.same(cur)
	fresh, err := d.Rejudged(d.Context(), func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		_, _, err := d.Rejudge(ctx, before, c)
		return err
	})
	d.ok(err)
	d.same(fresh)
	d.outsider(fresh)
	return cur
}

func (d *world) same(cur workspace.Session) {
	d.Helper()
	changes, err := attest.Governed(d.Repo, d.before, cur.InForce)
	d.ok(err)
	if len(changes) > 0 {
		d.succeeds("%d files in force changed, such as %s", len(changes), changes[0].Path)
	}
}

// holds checks that a proposal does not merge: neither through the engine, nor as a merge that is
// made and announced without it. Both must give the reason.
func (d *world) holds(id string, why ...string) {
	d.Helper()
	out, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "mallory"}, false)
	switch {
	case err != nil:
		d.because(err.Error(), why...)
	case out.Merged:
		d.succeeds("%s merges", id)
		return
	default:
		d.because(out.Refused, why...)
	}
	d.unchanged()
	d.forged(forgery{id: id}, why...)
}

// forgery is a merge as the engine would make it, with alterations.
type forgery struct {
	id      string // of the proposal
	tree    tree.Hash
	parents []tree.Hash
	alter   func(*attest.Attestation)
	report  func(*validate.Report)
	signer  string // of the attestation
	message string // instead of one with trailers
	// data replaces the report's bytes; silent leaves the announcement out.
	data   []byte
	silent bool
}

// forged puts a merge of a proposal on main, announces it in the proposal's journal, and checks
// that no reader accepts it as allowed by the gate.
func (d *world) forged(f forgery, why ...string) {
	d.Helper()
	d.forge(f)
	cur := d.unchanged()
	if len(cur.Blocked) == 0 {
		if !d.Failed() {
			d.Error("nothing is blocked")
		}
		return
	}
	d.because(cur.Blocked[len(cur.Blocked)-1].Why, why...)
}

// forge makes the merge of a forgery.
func (d *world) forge(f forgery) tree.Hash {
	d.Helper()
	cur, ex, err := d.seen(f.id)
	d.ok(err)
	pull := ex.Case.Pull
	if f.tree.IsZero() {
		f.tree = ex.Result.Tree
	}
	if f.parents == nil {
		f.parents = []tree.Hash{cur.Main, pull.Head}
	}
	report := ex.Report
	if f.report != nil {
		f.report(&report)
	}
	if f.data == nil {
		f.data, err = report.Canonical()
		d.ok(err)
	}
	att := attest.Attestation{
		V: attest.Version, Proposal: f.id, From: cur.InForce, Base: f.parents[0], Tree: f.tree, Effective: ex.Case.Effective,
		Report: canonical.Digest(f.data), Risk: policy.Low, Verdict: policy.Verdict{Outcome: policy.Allowed}, Engine: version.Engine, At: d.tick(),
	}
	if len(f.parents) > 1 {
		att.Head = f.parents[1]
	}
	if f.signer != "" {
		att.Signer = d.who[f.signer].Fingerprint()
	}
	if f.alter != nil {
		f.alter(&att)
	}
	who := gitstore.Person{Name: "assent", Email: "engine@assent.invalid", When: att.Instant()}
	if f.message == "" {
		f.message = fmt.Sprintf("Merge %s\n\n%s: %s\nAssent-Risk: low\nAssent-Approved-By: ada\nAssent-Approved-By: bob", f.id, attest.ProposalTrailer, f.id)
	}
	h := d.commitTree(who, f.message, f.tree, f.parents...)
	if !f.silent {
		data, err := att.Encode()
		d.ok(err)
		d.record(f.id, journal.Event{Kind: "report", Fields: map[string]string{
			"Head": att.Head.String(), "Base-Commit": att.Base.String(), "Passed": "true", "Digest": att.Report,
		}, Files: map[string][]byte{"report.json": f.data}})
		files := map[string][]byte{"attestation.json": data}
		if f.signer != "" {
			files["attestation.sig"], err = review.SignAttestation(data, d.who[f.signer])
			d.ok(err)
		}
		d.record(f.id, journal.Event{Kind: "merging", Fields: map[string]string{"Commit": h.String()}, Files: files, Anchors: []tree.Hash{h}})
	}
	d.put(attest.MainRef, h)
	return h
}

// seen examines a proposal that may be damaged or gone.
func (d *world) seen(id string) (workspace.Session, workspace.Examined, error) {
	cur, err := d.Session(d.Context())
	if err != nil {
		return cur, workspace.Examined{}, err
	}
	ex, err := cur.Examine(d.Context(), id)
	return cur, ex, err
}

// refusedOpening checks that a request is refused before anything is stored.
func (d *world) refusedOpening(r propose.Request, rules ...string) {
	d.Helper()
	out, err := propose.Open(d.Context(), d.Workspace, r)
	var damaged *forge.Damaged
	if errors.As(err, &damaged) {
		d.Fatal(err)
	}
	d.ok(err)
	if out.Opened && out.Examined.Report.Passed {
		d.succeeds("the proposal is opened and fit: %v", out.Examined.Report.Diagnostics)
		return
	}
	if out.Opened {
		d.found(out.Examined.Report.Diagnostics, rules...)
		d.holds(out.Pull.ID)
		return
	}
	d.found(out.Diagnostics, rules...)
	d.unchanged()
}
