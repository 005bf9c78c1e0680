package proposals

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
)

// originRows are the rows about the run that makes the proposal or made it, at most four: where it stands, who asked for
// what was lacking, who did what at which cost, and which tests are left out.
func originRows(maker string, o *output.Origin) (out []row) {
	if maker != "" {
		out = append(out, row{"run", maker, console.Style{}.Warn})
	}
	if o == nil {
		return out
	}
	asked := []string{o.For, cmp.Or(o.Reason, o.Goal)}
	if o.Missing != "" {
		asked = append(asked, "lacked "+o.Missing)
	}
	if asked = slices.DeleteFunc(asked, func(s string) bool { return s == "" }); len(asked) > 0 {
		out = append(out, row{"asked", strings.Join(asked, ", "), nil})
	}
	var did, lacks []string
	if o.Spent != nil {
		did = append(did, output.SpentText(output.AgentsCommands, *o.Spent))
	}
	for _, j := range o.Jobs {
		did = append(did, j.Job+" by "+j.By)
		for _, what := range slices.Sorted(maps.Keys(j.Lacks)) {
			lacks = append(lacks, j.Job+" lacks "+what+": "+j.Lacks[what])
		}
	}
	if len(did) > 0 {
		out = append(out, row{"made", strings.Join(did, "; "), nil})
	}
	if len(lacks) > 0 {
		out = append(out, row{"untested", strings.Join(lacks, "; "), console.Style{}.Warn})
	}
	return out
}
