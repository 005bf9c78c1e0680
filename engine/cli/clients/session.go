package clients

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/shirou/gopsutil/v4/process"
)

var errNoClient = errors.New("assent mcp talks to an agent client, and a person sits at this terminal")

// clientSession names the session of the parent process. It is the same for every server that the
// parent starts, so that a client gains no new caps by starting another one; the start time
// distinguishes it from a later process with the same number.
func clientSession(agent string) string {
	parent := os.Getppid()
	name := fmt.Sprintf("%s:client-%d", cmp.Or(agent, "client"), parent)
	if p, err := process.NewProcess(int32(parent)); err == nil { //nolint:gosec // process numbers fit
		if began, err := p.CreateTime(); err == nil {
			name += fmt.Sprintf("-%d", began/1000)
		}
	}
	return name
}
