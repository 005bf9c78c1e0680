package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/version"
)

func newVersion(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Which assent this is",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return runVersion(c) },
	}
}

// versionJSON identifies a build.
type versionJSON struct {
	Version string `json:"version"`
	// Commit that it was built from, empty when the build does not say.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func runVersion(c *console) error {
	v := versionJSON{Version: version.Engine, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	v.Commit, v.Modified = builtFrom()
	if c.json {
		return c.emit(v)
	}
	c.printf("assent %s\n", v.Version)
	if v.Commit != "" {
		c.field("commit", v.Commit)
	}
	c.field("built with", v.Go+" for "+v.Platform)
	return nil
}

// builtFrom is the commit that the program was built from, empty when the build does
// not say, and whether files had been changed beside it.
func builtFrom() (commit string, modified bool) { return revision(buildInfo()) }

// buildInfo is what the build says of itself, which may be nothing.
func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

func revision(info *debug.BuildInfo) (commit string, modified bool) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return commit, modified
}
