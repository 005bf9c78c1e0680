package gate

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// Earlier is the record that another version of the engine made of a merge, which is now
// judged again.
type Earlier struct {
	// Report is the recorded one, which had no error.
	Report validate.Report
	// Vouchers are as in policy.Earlier.
	Vouchers []policy.Actor
}

// By names the version as the report claims it. Anyone can write that claim.
func (e Earlier) By() string {
	const most = 40
	name := []rune(e.Report.Engine)
	return "version " + string(name[:min(len(name), most)])
}

// stricter merges the recorded report into the facts and keeps the stricter value of each,
// so a recorded report can only add. The change itself is read from the trees alone.
func (e Earlier) stricter(f *policy.Facts) {
	f.Earlier = &policy.Earlier{By: e.By(), Vouchers: e.Vouchers}
	then := e.Report
	//defence:the-recomputed-scan-counts
	f.Validation.Warnings = max(f.Validation.Warnings, then.Diagnostics.Count(diag.Warning))
	f.Findings = append(append(diag.List{}, f.Findings...), then.Diagnostics...)
	f.Scan.Warnings, f.Scan.Score = max(f.Scan.Warnings, then.Scan.Warnings), max(f.Scan.Score, then.Scan.Score)
	f.Scan.Injections = append(append([]diag.Pos{}, f.Scan.Injections...), then.Scan.Injections...)
}
