package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/exporter"
	"github.com/assent-dev/assent/engine/tree"
)

type exportOptions struct {
	names    []string
	to       string
	original bool
	dryRun   bool
}

func newExport(c *console) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export NAME...",
		Short: "Write a capability's folder to the disk, as in force or as it was found",
		Long: `Export writes the folder of each capability to DIR/NAME, as it is in force. With
--original it is the folder as it was before an import fitted it in, byte for byte;
files that the import left out are listed.

What a human stopped (assent stop) is refused, and nothing is written then.
Nothing is ever replaced: where a file stands already with another content, nothing
is written at all.`,
		Example: `  assent export parse-csv
  assent export parse-csv --to ./elsewhere --original`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: first(c.names),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runExport(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.to, "to", ".", "write below `DIR`")
	cmd.Flags().BoolVar(&o.original, "original", false, "as it was found, before an import rewrote it")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "tell what would be written, but write nothing")
	return cmd
}

// exportJSON is one exported capability.
type exportJSON struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"` // the folder that was written
	Original bool      `json:"original"`
	Commit   tree.Hash `json:"commit"` // that the files are from
	Files    []struct {
		Path  string         `json:"path"`
		State exporter.Found `json:"state"`
	} `json:"files"`
	// Missing are files that the import left out.
	Missing []string `json:"missing"`
	DryRun  bool     `json:"dry_run,omitempty"`
}

// export is one capability on its way to the disk.
type export struct {
	exporter.Copy
	found []exporter.Found
}

func runExport(ctx context.Context, c *console, o exportOptions) error {
	all, err := o.collect(ctx, c)
	if err != nil {
		return err
	}
	blocked := slices.ContainsFunc(all, func(e export) bool { return slices.ContainsFunc(e.found, exporter.Found.Blocked) })
	if !blocked && !o.dryRun {
		for _, e := range all {
			if err := exporter.Write(ctx, o.to, e.Copy, e.found); err != nil {
				return err
			}
		}
	}
	if err := c.exported(o, all, blocked); err != nil {
		return err
	}
	if blocked {
		return refused("move the files away that are listed, or name another folder: --to DIR", "nothing was written: other files stand there already")
	}
	return nil
}

// collect reads what is to be exported and compares it with the disk.
func (o exportOptions) collect(ctx context.Context, c *console) ([]export, error) {
	w, cur, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	var all []export
	for _, name := range o.names {
		f, err := capabilityNamed(cur, name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(e export) bool { return e.Name == f.Name }) {
			continue
		}
		var e export
		if o.original {
			e.Copy, err = exporter.Original(ctx, w, cur, f)
		} else {
			e.Copy, err = exporter.InForce(ctx, w, cur, f)
		}
		if errors.Is(err, exporter.ErrNoOriginal) {
			return nil, &failure{code: exitRefused, err: err, hint: "fetch the proposals' journals: git fetch origin 'refs/assent/*:refs/assent/*'"}
		}
		if err != nil {
			return nil, err
		}
		if e.found, err = exporter.Compare(o.to, e.Copy); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// exported shows what was written, or what stands in the way.
func (c *console) exported(o exportOptions, all []export, blocked bool) error {
	out := []exportJSON{}
	for _, e := range all {
		v := exportJSON{Name: e.Name, Path: filepath.Join(o.to, e.Name), Original: o.original, Commit: e.Commit, Missing: e.LeftOut, DryRun: o.dryRun}
		if v.Missing == nil {
			v.Missing = []string{}
		}
		for i, f := range e.Files {
			v.Files = append(v.Files, struct {
				Path  string         `json:"path"`
				State exporter.Found `json:"state"`
			}{f.Path, e.found[i]})
		}
		out = append(out, v)
	}
	if c.json {
		return c.emit(out)
	}
	if o.dryRun {
		c.printf("%s\n", c.style.warn("dry run: nothing is written; this is what would happen"))
	}
	for _, v := range out {
		c.exportedOne(v, blocked)
	}
	return nil
}

func (c *console) exportedOne(v exportJSON, blocked bool) {
	written, same := 0, 0
	for _, f := range v.Files {
		switch {
		case f.State.Blocked():
			what := "stands there with another content"
			if f.State == exporter.InWay {
				what = "is in the way: it is no regular file, or a folder above it is none"
			}
			c.printf("  %s %s\n", c.style.bad(oneLine(filepath.Join(v.Path, filepath.FromSlash(f.Path)))), what)
		case f.State == exporter.New:
			written++
		default:
			same++
		}
	}
	if !blocked {
		text := plural(written, "file") + " written"
		if v.DryRun {
			text = plural(written, "file") + " to write"
		}
		if same > 0 {
			text += ", " + plural(same, "file") + " there already"
		}
		c.printf("%s  %s\n", c.style.bold(oneLine(v.Path)), text)
	}
	for _, m := range v.Missing {
		c.printf("  missing: %s was left out at import\n", oneLine(m))
	}
}
