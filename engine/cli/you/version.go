package you

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/cli/console"
)

func newVersion(c *console.Console) *cobra.Command {
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

func runVersion(c *console.Console) error {
	v := versionJSON{Version: version.Engine, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	v.Commit, v.Modified = console.BuiltFrom()
	if c.JSON {
		return c.Emit(v)
	}
	c.Printf("assent %s\n", v.Version)
	if v.Commit != "" {
		c.Field("commit", v.Commit)
	}
	c.Field("built with", v.Go+" for "+v.Platform)
	return nil
}
