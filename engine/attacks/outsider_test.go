package attacks_test

import (
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/cmd/assent-verify/check"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// excused maps attacks, by name or prefix, to the reason why assent-verify and the engine may name
// different commits. Only one other difference is allowed: the checker stops earlier, at a merge
// whose attestation no human or witness signed.
func excused() map[string]string {
	return map[string]string{
		"TestAttackChecks/an_attestation_that_says_so": "a witness signed that the check passed, which the checker takes from the attestation",
		"TestAttackUntested/":                          "a human signed that the tests hold, which the checker takes from the attestation",
		"TestAttackForgedReport/a_report_of_another_version,_signed_for_by_one_who_approves": "a human signed that validation found no error, which the checker cannot derive and takes from the attestation",
		"TestAttackForgedReport/a_report_of_another_version_":                                "a witness signed that validation found no error",
		"TestAttackClaimedVersion/a_check,_signed_by_a_human":                                "a human signed that the check passed",
	}
}

// outsider checks that assent-verify, which shares no code with the engine, names the same commit
// as in force as an engine that sees the repository for the first time.
func (d *world) outsider(fresh workspace.Session) {
	d.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		d.Log("not compared with assent-verify: ssh-keygen is not here")
		return
	}
	checker, err := check.Open(d.dir, false, d.accepted...)
	d.ok(err)
	defer checker.Close()
	res, err := checker.Check(d.clock)
	reason := ""
	for attack, why := range excused() {
		if strings.HasPrefix(d.Name(), attack) {
			reason = why
		}
	}
	switch {
	case err == nil && res.InForce == fresh.InForce.String():
	case err == nil && len(res.Blocked) > 0 && res.Blocked[0].Unverified && d.upon(fresh, res):
	case reason != "":
		d.Logf("assent-verify answers otherwise: %s", reason)
	case err != nil:
		d.Errorf("assent-verify cannot read what the engine reads: %v", err)
	default:
		d.Errorf("the engine takes %s for in force, assent-verify %s\nengine: %v\nassent-verify: %v", fresh.InForce, res.InForce, fresh.Blocked, res.Blocked)
	}
}

// upon reports whether the engine's commit in force descends from the checker's by first parents.
func (d *world) upon(fresh workspace.Session, res check.Result) bool {
	d.Helper()
	found := false
	d.ok(d.Repo.FirstParents(fresh.InForce, func(c gitstore.Commit) (bool, error) {
		found = found || c.Hash.String() == res.InForce
		return !found, nil
	}))
	return found
}
