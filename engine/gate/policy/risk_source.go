package policy

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/upstream"
)

// riskSource makes a record of a source high unless an import wrote it: later checks fetch from the address that it
// names, on machines of others. Without any origin the change is not a proposal yet, or older than origins are.
func riskSource(r *riskFinder) {
	p := r.f.Provenance
	byHand := p.Unrecorded > 0 || slices.ContainsFunc(p.Origins, func(o provenance.Origin) bool { return o.Way != provenance.Import })
	for _, c := range r.f.Paths {
		//defence:sources-by-hand-are-high
		if byHand && c.Op != Removed && r.isSource(c.Path) {
			r.add(High, diag.Pos{File: c.Path}, "it names an address from which later checks fetch, and no import wrote it")
		}
	}
}

func (r *riskFinder) isSource(path string) bool {
	return slices.ContainsFunc(r.f.Capabilities, func(c Capability) bool {
		inside, below := strings.CutPrefix(path, c.Path+"/")
		return below && upstream.IsFile(inside)
	})
}
