package gate

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// Earlier is what another version of the engine recorded of a merge that is judged
// again.
type Earlier struct {
	// Report is the recorded one, which had no error.
	Report validate.Report
	// Vouchers are as in policy.Earlier.
	Vouchers []policy.Actor
}

// By names the version, as its report does, which anybody can write.
func (e Earlier) By() string {
	const most = 40
	name := []rune(e.Report.Engine)
	return "version " + string(name[:min(len(name), most)])
}

// stricter makes of what was found today what is the stricter of both, so that a
// recorded report can only add. What the change is comes from the trees alone.
func (e Earlier) stricter(f *policy.Facts) {
	f.Earlier = &policy.Earlier{By: e.By(), Vouchers: e.Vouchers}
	then := e.Report
	//defence:the-recomputed-scan-counts
	f.Validation.Warnings = max(f.Validation.Warnings, then.Diagnostics.Count(diag.Warning))
	f.Findings = append(append(diag.List{}, f.Findings...), then.Diagnostics...)
	f.Scan.Warnings, f.Scan.Score = max(f.Scan.Warnings, then.Scan.Warnings), max(f.Scan.Score, then.Scan.Score)
	f.Scan.Injections = append(append([]diag.Pos{}, f.Scan.Injections...), then.Scan.Injections...)
}
