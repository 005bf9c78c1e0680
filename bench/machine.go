package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
)

// machine is where figures come from. What cannot be found out is left empty.
type machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Go    string `json:"go"`
	Git   string `json:"git"`
	// Load is the load average of the last minute before the run: what else went on.
	Load float64 `json:"load"`
}

func newReport(ctx context.Context, o options) report {
	r := report{At: time.Now(), Command: "go run ./bench", Machine: thisMachine(ctx)}
	if o.quick {
		r.Command += " -quick"
	}
	if o.largest != 100_000 {
		r.Command += fmt.Sprintf(" -n %d", o.largest)
	}
	if o.closed != 10_000 {
		r.Command += fmt.Sprintf(" -closed %d", o.closed)
	}
	if o.rows != "" {
		r.Command += " -row " + o.rows
	}
	return r
}

func thisMachine(ctx context.Context) machine {
	m := machine{Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if all, err := cpu.InfoWithContext(ctx); err == nil && len(all) > 0 {
		m.CPU = all[0].ModelName
	}
	if h, err := host.InfoWithContext(ctx); err == nil {
		m.OS = strings.TrimSpace(fmt.Sprintf("%s %s, kernel %s, %s", h.Platform, h.PlatformVersion, h.KernelVersion, h.KernelArch))
	}
	if out, err := exec.CommandContext(ctx, "git", "--version").Output(); err == nil {
		m.Git = strings.TrimSpace(strings.TrimPrefix(string(out), "git version "))
	}
	if l, err := load.AvgWithContext(ctx); err == nil {
		m.Load = l.Load1
	}
	return m
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s, %s, git %s, load average %.1f when it began", m.CPU, m.Cores, m.OS, m.Go, m.Git, m.Load)
}
