//go:build unix

package measure

import (
	"os"
	"runtime"
	"syscall"
)

// peak is counted in kilobytes everywhere but on Apple's systems.
func peak(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		return int64(usage.Maxrss) //nolint:unconvert // narrower on some systems
	}
	return int64(usage.Maxrss) << 10 //nolint:unconvert // narrower on some systems
}
