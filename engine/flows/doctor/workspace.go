package doctor

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

func checkInForce(e *examination) {
	cur := e.cur
	e.ok("workspace", "began with %s, and main was not rolled back since it was last seen", cur.Genesis.Short())
	if len(cur.Blocked) == 0 {
		e.ok("in force", "main at %s", cur.InForce.Short())
	}
	broken := cur.Halt()
	if broken != nil {
		e.fail("in force", broken.WaysOut(), "commit %s (%s) stops new clones: %s", broken.Commit.Short(), broken.Subject, broken.BreakWhy())
	}
	for _, b := range cur.Blocked {
		if broken != nil { // taking it back or adopting it alone does not help
			break
		}
		e.fail("in force", b.Remedy(),
			"commit %s (%s) is not in force, nor is anything after it: %s", b.Commit.Short(), b.Subject, b.Why)
	}
}

// aheadAtMost is how far clocks may be apart.
const aheadAtMost = 5 * time.Minute

func checkClock(e *examination) {
	w, cur := e.w, e.cur
	tip, err := w.Repo.Commit(cur.Main)
	if err != nil {
		e.broke("clock", err)
		return
	}
	if ahead := tip.Committer.When.Sub(e.Now()); ahead > aheadAtMost {
		e.warn("clock", "set the clock if it is wrong: signatures and expiry dates depend on it; a commit that changes nothing in force may bear any date",
			"main's newest commit lies %s in the future", ahead.Truncate(time.Second))
		return
	}
	e.ok("clock", "not behind main")
}

// checkFormat names a workspace that could be raised to a newer format.
func checkFormat(e *examination) {
	cur := e.cur
	if f := cur.Policies.Format; f < policy.NewestFormat {
		e.warn("format", "assent migrate proposes the next", "the workspace has format %d; this program knows up to %d", f, policy.NewestFormat)
		return
	}
	e.ok("format", "%d, the newest that this program knows", cur.Policies.Format)
}

func checkPolicies(e *examination) {
	cur := e.cur
	if len(cur.PolicyDiags) == 0 {
		e.ok("policies", "they load")
	}
	for _, d := range cur.PolicyDiags {
		if d.Fix == "" {
			d.Fix = "propose a correction of " + d.File
		}
		if d.Severity.String() == "error" {
			e.fail("policies", d.Fix, "%s; until then the strictest defaults replace the file", d.String())
		} else {
			e.warn("policies", d.Fix, "%s", d.String())
		}
	}
}

// checkWorkflows names the workflows in force that no pass can run: those of an adopted workspace, or that
// another version let in.
func checkWorkflows(e *examination) {
	all, ds, err := workflow.Load(e.cur.View, workspace.Schedule)
	switch {
	case err != nil:
		e.broke("workflows", err)
	case !ds.HasErrors():
		e.ok("workflows", "%s, all usable", plural(len(all), "workflow"))
	}
	for _, d := range ds {
		if d.Severity == diag.Error {
			e.fail("workflows", cmp.Or(d.Fix, "propose a correction of "+d.File), "%s; until then the workflow does not run", d.String())
		}
	}
}

// checkRuns names the runs that cannot be read, and those that do not count as the run of a schedule although
// they have the id of one.
func checkRuns(e *examination) {
	states, damaged, err := e.cur.Runs.Standing()
	over, overErr := reconcile.PassedOver(e.cur, states...)
	if err = errors.Join(err, overErr); err != nil {
		e.broke("runs", err)
		return
	}
	for _, d := range damaged {
		if ref := new(gitstore.BrokenRef); !errors.As(d, &ref) { // checkRefs reports it
			e.warn("runs", "it stops no other run; assent doctor --fix --remote puts back what a remote has or can be read here; else assent run start begins another one", "the run %s", d)
		}
	}
	for _, s := range states {
		if why := over[s.ID]; why != "" {
			fix := "it counts for nothing; git log shows who wrote it: git log " + names.ForShell(runlog.Prefix+s.ID)
			if s.Outcome == "" {
				fix = "assent run cancel " + names.ShellWord(s.ID)
			}
			e.warn("runs", fix, "%s is passed over: %s", s.ID, why)
		}
	}
	if len(damaged)+len(over) == 0 {
		e.ok("runs", "%s, all readable", plural(len(states), "run"))
	}
}

func checkPeople(e *examination) {
	cur := e.cur
	switch humans := cur.Policies.Roles.Humans(); len(humans) {
	case 0:
		e.fail("people", "assent keys reanchor NAME --key FILE --reason TEXT continues from the last one that named people", "%s names no human: nothing above low risk can be approved", policy.RolesFile)
	case 1:
		e.warn("people", "have a proposal add a second human to "+policy.RolesFile,
			"%s is the only human: critical changes need one approval instead of two, and they may approve their own work", humans[0])
	default:
		for _, name := range humans {
			if id, _ := cur.Policies.Roles.ByName(name); !id.CanApprove() {
				e.warn("people", "give them one, or take them out of the role: assent roles add|remove "+names.ShellWord(name),
					"%s is a human with neither key nor account: critical changes may wait for an approval that they cannot give", name)
				return
			}
		}
		e.ok("people", "%s can approve dangerous changes", strings.Join(humans, ", "))
	}
}

func checkKey(e *examination) {
	cur := e.cur
	spec, err := e.Key(cur)
	if err != nil {
		e.broke("your key", err)
		return
	}
	key, err := keys.Public(spec)
	if errors.Is(err, keys.ErrMissing) {
		e.warn("your key", keys.Advice(spec), "no key at %s: you cannot approve anything", spec)
		return
	}
	if err != nil {
		e.broke("your key", err)
		return
	}
	id, ok := cur.Policies.Roles.ByKey(review.FingerprintOf(key))
	if owner, rev, revoked := cur.Policies.Roles.RevokedKey(review.FingerprintOf(key)); revoked {
		e.warn("your key", "make another with assent keys new NAME, and propose it: assent roles add "+names.ShellWord(owner.Name)+" --key FILE", "%s", rev.Refusal(owner.Name))
		return
	}
	if !ok {
		e.warn("your key", "assent roles add --self proposes to list it", "%s lists %s (%s) for no one", policy.RolesFile, spec, review.FingerprintOf(key))
		return
	}
	checkKeyFile(e, spec)
	s, err := keys.Load(spec, nil)
	if errors.Is(err, keys.ErrPassphrase) { // it is asked for when it signs
		e.ok("your key", "%s belongs to %s", spec, id.Name)
		return
	}
	if err != nil {
		e.warn("your key", "put the private half beside the public one, or into the SSH agent (ssh-add), or name another key (ASSENT_KEY)",
			"%s belongs to %s and cannot sign, so you cannot approve anything: %v", spec, id.Name, err)
		return
	}
	bare := s.Bare && id.Kind == policy.KindHuman
	_ = s.Close() // nothing was signed with it
	if on, err := keys.Unattended(); err != nil {
		e.broke("your key", err)
	} else if bare && on {
		e.warn("your key", "ssh-keygen -p -f "+names.ForShell(s.Source)+" gives it a passphrase; assent keys unattended off",
			"%s belongs to %s, has no passphrase, and signs unattended: every program that runs as you can approve", spec, id.Name)
	} else if bare {
		e.ok("your key", "%s belongs to %s; it has no passphrase, and signs in a terminal only", spec, id.Name)
	} else {
		e.ok("your key", "%s belongs to %s", spec, id.Name)
	}
}

// checkKeyFile checks whether others can read a private key. It ignores a spec that names
// no such file.
func checkKeyFile(e *examination, spec string) {
	path := strings.TrimSuffix(spec, ".pub")
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return
	}
	e.warn("key file", "chmod 600 "+names.ForShell(path), "others can read your private key %s (mode %04o)", path, info.Mode().Perm()).
		by(func(context.Context) error { return os.Chmod(path, 0o600) }, "make it readable only for you")
}

func checkSouls(e *examination) {
	cur := e.cur
	agents := propose.Agents(cur)
	var without []string
	for _, a := range agents {
		there, err := tree.Exists(cur.View, string(names.SoulArea)+"/"+a+"/SOUL.md")
		if err != nil {
			e.broke("souls", err)
			return
		}
		if !there {
			without = append(without, a)
		}
	}
	if len(without) > 0 {
		e.warn("souls", "assent new soul "+names.ShellWord(without[0])+", then propose it", "no SOUL.md for %s", strings.Join(without, ", "))
		return
	}
	e.ok("souls", "%s with a SOUL.md", plural(len(agents), "agent"))
}

// checkProposals looks for journals that cannot be read.
func checkProposals(e *examination) {
	pulls, err := e.w.Record.List(e.ctx, forge.Filter{})
	if err != nil {
		e.fail("proposals", "assent doctor --fix --remote compares it with the remote's, and repairs it if possible; else restore the ref from a backup", "%v", err)
		return
	}
	elsewhere, err := audit.Elsewhere(e.ctx, e.w)
	if err != nil {
		e.broke("proposals", err)
		return
	}
	for _, p := range elsewhere {
		e.fail("proposals", "compare main with another clone or a backup, and approve nothing before it is explained: assent audit verify",
			"the journal of %s says merged as %s, which main does not have: main was rolled back, or the journal is false", p.ID, p.Claimed.Short())
	}
	if len(elsewhere) == 0 {
		e.ok("proposals", "%s on record, all readable", plural(len(pulls), "proposal"))
	}
}
