package output

import (
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// PrintDid shows how capabilities did, with what critics said.
func PrintDid(c *console.Console, all ...triallog.Did) {
	for _, d := range all {
		c.Field("did", console.OneLine(d.Text()))
		for _, text := range d.Remarks() {
			c.Field("", console.OneLine(text))
		}
	}
}
