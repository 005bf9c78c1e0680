package transfer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/proposals/exporter"
)

type exportOptions struct {
	names    []string
	to       string
	original bool
	dryRun   bool
	registry string
}

func newExport(c *console.Console) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export NAME... | --registry FILE",
		Short: "Write a capability's folder to the disk, as in force or as it was found, or bring it up to date",
		Long: `Export writes the folder of each capability to DIR/NAME, as it is in force. With
--original it is the folder as it was before an import fitted it in, byte for byte;
files that the import left out are listed.

What an earlier export wrote there is brought up to date: files that changed since are
replaced, and those that left force are removed, as is the folder of a capability that
was removed. Files that you edited, and files of your own, are never touched. Where such
a one stands in the way, it is named, and nothing is written at all.

What a human stopped (assent stop) is refused, and nothing is written then.

With --registry it writes all capabilities in force and the newest 10 000 trials to one
file, for assent import elsewhere (docs/formats.md): the same registry gives the same
bytes. What a human stopped is left out and named. FILE "-" is standard output. A file
that is no such export is never replaced.`,
		Example: `  assent export parse-csv
  assent export parse-csv --to ./elsewhere --original
  assent export --registry registry.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case o.registry != "" && (len(args) > 0 || o.original || o.to != "."):
				return console.Usage("--registry exports everything to one file: leave out names, --to and --original")
			case o.registry == "" && len(args) == 0:
				return console.Usage("name a capability, or write all of them to a file: --registry FILE")
			}
			return nil
		},
		ValidArgsFunction: complete.First(complete.Names(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.registry != "" {
				return runExportRegistry(cmd.Context(), c, o.registry, o.dryRun)
			}
			o.names = args
			return runExport(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.to, "to", ".", "write below `DIR`")
	cmd.Flags().BoolVar(&o.original, "original", false, "as it was found, before an import rewrote it")
	cmd.Flags().StringVar(&o.registry, "registry", "", "write the whole registry to `FILE`")
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

func runExport(ctx context.Context, c *console.Console, o exportOptions) error {
	all, err := o.collect(ctx, c)
	if err != nil {
		return err
	}
	blocked := slices.ContainsFunc(all, exporter.Plan.Blocked)
	if !blocked && !o.dryRun {
		for _, p := range all {
			if err := p.Write(ctx, o.to); err != nil {
				return err
			}
		}
	}
	if err := printExports(c, o, all, blocked); err != nil {
		return err
	}
	if blocked {
		return console.Refused("propose the edits (assent propose), move the listed files away, or name another folder: --to DIR",
			"nothing was written: files exist there that no export wrote, or that were edited since")
	}
	return nil
}

// collect reads the capabilities to export and compares them with the disk.
func (o exportOptions) collect(ctx context.Context, c *console.Console) ([]exporter.Plan, error) {
	cur, err := c.Current(ctx)
	if err != nil {
		return nil, err
	}
	var all []exporter.Plan
	for _, name := range o.names {
		f, unknown := console.CapabilityNamed(cur, name)
		var none *console.Failure
		if unknown != nil {
			if f.Name = names.Fold(name); !errors.As(unknown, &none) || !names.IsName(f.Name) {
				return nil, unknown
			}
		}
		if slices.ContainsFunc(all, func(p exporter.Plan) bool { return p.Name == f.Name }) {
			continue
		}
		copied := exporter.Copy{Name: f.Name, Commit: cur.InForce}
		switch {
		case unknown != nil: // its earlier export is removed
		case o.original:
			copied, err = exporter.Original(ctx, cur, f)
		default:
			copied, err = exporter.InForce(ctx, cur, f)
		}
		if errors.Is(err, exporter.ErrNoOriginal) {
			return nil, &console.Failure{Code: console.ExitRefused, Err: err, Hint: "fetch the proposals' journals: git fetch origin 'refs/assent/*:refs/assent/*'"}
		}
		if err != nil {
			return nil, err
		}
		p, err := exporter.Compare(o.to, copied, func() (exporter.Earlier, error) { return exporter.EarlierOf(cur, f.Name) })
		if err != nil {
			return nil, err
		}
		if unknown != nil && len(p.Items) == 0 {
			return nil, unknown
		}
		all = append(all, p)
	}
	return all, nil
}

// printExports shows the written files, or those that block the export.
func printExports(c *console.Console, o exportOptions, all []exporter.Plan, blocked bool) error {
	out := []exportJSON{}
	for _, p := range all {
		v := exportJSON{Name: p.Name, Path: filepath.Join(o.to, p.Name), Original: o.original, Commit: p.Commit, Missing: p.LeftOut, DryRun: o.dryRun}
		if v.Missing == nil {
			v.Missing = []string{}
		}
		for _, i := range p.Items {
			v.Files = append(v.Files, struct {
				Path  string         `json:"path"`
				State exporter.Found `json:"state"`
			}{i.Path, i.Found})
		}
		out = append(out, v)
	}
	if c.JSON {
		return c.Emit(out)
	}
	if o.dryRun {
		c.Printf("%s\n", c.Style.Warn("dry run: nothing is written; this is what would happen"))
	}
	for _, v := range out {
		printExport(c, v, blocked)
	}
	return nil
}

func printExport(c *console.Console, v exportJSON, blocked bool) {
	count := map[exporter.Found]int{}
	reason := map[exporter.Found]string{
		exporter.Differs: "exists there with content that no export wrote",
		exporter.InWay:   "is in the way: it is not a regular file, or a folder above it is not a folder",
		exporter.Kept:    "is no longer in force and was edited since, so it stays: remove it, or propose it again",
	}
	for _, f := range v.Files {
		count[f.State]++
		if why, is := reason[f.State]; is {
			c.Printf("  %s %s\n", c.Style.Bad(console.OneLine(filepath.Join(v.Path, filepath.FromSlash(f.Path)))), why)
		}
	}
	if !blocked {
		written, updated, removed := "written", "updated", "removed"
		if v.DryRun {
			written, updated, removed = "to write", "to update", "to remove"
		}
		text := console.Plural(count[exporter.New], "file") + " " + written
		for _, more := range []struct {
			state exporter.Found
			what  string
		}{{exporter.Older, updated}, {exporter.Left, removed}, {exporter.Same, "there already"}} {
			if n := count[more.state]; n > 0 {
				text += ", " + console.Plural(n, "file") + " " + more.what
			}
		}
		c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(v.Path)), text)
	}
	for _, m := range v.Missing {
		c.Printf("  missing: %s was left out at import\n", console.OneLine(m))
	}
}
