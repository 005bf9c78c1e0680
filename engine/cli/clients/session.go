package clients

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/shirou/gopsutil/v4/process"
)

var errNoClient = errors.New("assent mcp talks to an agent client, and a person sits at this terminal")

// clientSession names the session of whatever process started this one. It is the same for every
// server that the process starts, so that a client wins no new caps by starting another one, and
// tells a process from a later one with its number.
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
