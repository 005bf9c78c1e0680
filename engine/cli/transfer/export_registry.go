package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/proposals/exporter"
	"github.com/assent-dev/assent/engine/registry/archive"
)

// exportedJSON is an exported registry.
type exportedJSON struct {
	Path         string    `json:"path"`
	Commit       tree.Hash `json:"commit"`
	Capabilities int       `json:"capabilities"`
	Files        int       `json:"files"`
	Trials       int       `json:"trials"`
	Bytes        int       `json:"bytes"`
	SHA256       string    `json:"sha256"`
	// Stopped says which capabilities are left out, and who stopped them.
	Stopped []string `json:"stopped"`
	DryRun  bool     `json:"dry_run,omitempty"`
}

func runExportRegistry(ctx context.Context, c *console.Console, path string, dryRun bool) error {
	toOutput := path == "-" && !dryRun
	switch {
	case toOutput && c.JSON:
		return console.Usage("--json and --registry - both write to standard output: name a file")
	case toOutput && c.Terminal():
		return console.Usage("--registry - is for another program to read: name a file, or pipe it")
	case path != "-":
		if err := replaceable(ctx, c, path); err != nil {
			return err
		}
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	r, err := exporter.RegistryOf(ctx, cur)
	if err != nil {
		return err
	}
	data, err := r.Encode()
	if err != nil {
		return console.Refused("export capabilities by name: assent export NAME...", "%w", err)
	}
	for _, p := range r.Problems {
		c.Complain("%s left out: %s", c.Style.Warn("warning:"), console.OneLine(p.Error()))
	}
	for _, s := range r.Stopped {
		c.Complain("%s left out: %s", c.Style.Warn("warning:"), console.OneLine(s))
	}
	switch {
	case dryRun:
	case toOutput:
		if _, err := c.Raw().Write(data); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
		return nil
	default:
		if err := home.At(filepath.Dir(path)).Write(filepath.Base(path), data); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
	}
	sum := sha256.Sum256(data)
	out := exportedJSON{path, cur.InForce, r.Capabilities, len(r.Files), len(r.Trials), len(data), hex.EncodeToString(sum[:]), r.Stopped, dryRun}
	if c.JSON {
		return c.Emit(out)
	}
	verb := "exported"
	if dryRun {
		verb = "would export"
	}
	c.Printf("%s %s in %s and %s to %s, %d bytes\n", verb, console.Plural(out.Capabilities, "capability"), console.Plural(out.Files, "file"), console.Plural(out.Trials, "trial"),
		c.Style.Bold(console.OneLine(path)), out.Bytes)
	c.Field("sha256", out.SHA256)
	return nil
}

// replaceable refuses a file that is no export, whose content would be lost.
func replaceable(ctx context.Context, c *console.Console, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	f := console.Open(ctx, c, path)
	defer f.Close()
	start := make([]byte, len(archive.Prefix))
	if _, err := io.ReadFull(f, start); err != nil || !info.Mode().IsRegular() || string(start) != archive.Prefix {
		return console.Refused("name another file", "%s exists and is no export of a registry", path)
	}
	return nil
}
