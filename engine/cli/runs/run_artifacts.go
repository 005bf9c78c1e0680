package runs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// artifactJSON is one artifact of a run. To is where it was written; Removed says that maintenance
// removed it.
type artifactJSON struct {
	Job string `json:"job"`
	run.Artifact
	To      string `json:"to,omitempty"`
	Removed bool   `json:"removed,omitempty"`
}

func newRunArtifacts(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:     "artifacts ID | ID/JOB",
		Short:   "List the files that a run's scripts made",
		Example: `  assent run artifacts build-k3v9q2mt`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cur, all, id, err := madeIn(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			found := []artifactJSON{}
			for _, m := range all {
				has, err := cur.Runs.HasArtifacts(id, m.made)
				if err != nil {
					return err
				}
				for _, f := range m.made.Files {
					found = append(found, artifactJSON{Job: m.job, Artifact: f, Removed: !has})
				}
			}
			return printArtifacts(c, found)
		},
	}
}

// downloadOptions are the flags of copying artifacts.
type downloadOptions struct {
	name, to string
	dryRun   bool
}

func newRunDownload(c *console.Console) *cobra.Command {
	var o downloadOptions
	cmd := &cobra.Command{
		Use:   "download ID | ID/JOB",
		Short: "Copy the files that a run's scripts made into a folder",
		Long: `Download writes the artifacts of a run below a folder, each job's in a folder of its own.
Each file is compared with what the run recorded. An existing file is never replaced: then
nothing is written.`,
		Example: `  assent run download build-k3v9q2mt/report --to out`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runRunDownload(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.to, "to", "", "write below the folder `DIR`; by default one with the run's ID")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be written, but write nothing")
	return cmd
}

// madeBy are the artifacts of one job.
type madeBy struct {
	job  string
	made run.Artifacts
}

// madeIn returns the artifacts of a run, or of one job, in the order of the jobs.
func madeIn(ctx context.Context, c *console.Console, name string) (cur workspace.Session, all []madeBy, id string, err error) {
	cur, defs, id, job, err := namedRun(ctx, c, name)
	if err != nil {
		return cur, nil, id, err
	}
	s, err := cur.Runs.Read(id)
	if err != nil {
		return cur, nil, id, ofTask(err, id)
	}
	flow, _ := defs.Recorded(s)
	steps := run.Steps(flow, s, cur.Now())
	if job != "" {
		if steps, err = stepsNamed(defs, s, job, cur.Now()); err != nil {
			return cur, nil, id, err
		}
	}
	for _, step := range steps {
		if made := s.Jobs[step.Name].Artifacts; made != nil {
			all = append(all, madeBy{step.Name, *made})
		}
	}
	return cur, all, id, nil
}

func printArtifacts(c *console.Console, found []artifactJSON) error {
	if c.JSON {
		return c.Emit(found)
	}
	if len(found) == 0 {
		c.Printf("no artifacts\n")
	}
	var rows [][]string
	for _, f := range found {
		at := f.Path
		if f.To != "" {
			at = f.To
		}
		row := []string{c.Style.Bold(console.OneLine(f.Job)), console.OneLine(at), fmt.Sprint(f.Size), c.Style.Dim(console.OneLine(f.Digest))}
		if f.Removed {
			row = append(row, c.Style.Warn("removed"))
		}
		rows = append(rows, row)
	}
	c.Table(rows)
	return nil
}

func runRunDownload(ctx context.Context, c *console.Console, o downloadOptions) error {
	cur, all, id, err := madeIn(ctx, c, o.name)
	if err != nil {
		return err
	}
	if o.to == "" {
		o.to = id
	}
	if !filepath.IsAbs(o.to) {
		o.to = filepath.Join(c.Dir, o.to)
	}
	found, files := []artifactJSON{}, []tree.Edit{}
	for _, m := range all {
		if has, err := cur.Runs.HasArtifacts(id, m.made); err != nil {
			return err
		} else if !has {
			return ofTask(fmt.Errorf("%s/%s: %w", id, console.OneLine(m.job), task.ErrGone), id)
		}
		made, err := task.ReadArtifacts(cur.Workspace, m.made)
		if err != nil {
			return ofTask(err, id)
		}
		for i, e := range made {
			e.Path = filepath.Join(filepath.FromSlash(m.job), filepath.FromSlash(e.Path))
			files = append(files, e)
			found = append(found, artifactJSON{Job: m.job, Artifact: m.made.Files[i], To: filepath.Join(o.to, e.Path)})
		}
	}
	for _, f := range found {
		if _, err := os.Lstat(f.To); !errors.Is(err, fs.ErrNotExist) {
			return console.Refused("name another folder with --to, or remove the file", "%s is there already; nothing was written", f.To)
		}
	}
	if !o.dryRun {
		if err := writeBelow(o.to, files); err != nil {
			return err
		}
	}
	return printArtifacts(c, found)
}

// writeBelow writes new files below a folder, and through no link out of it.
func writeBelow(dir string, files []tree.Edit) error {
	if len(files) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as the user's umask has it
		return fmt.Errorf("make the folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	defer root.Close()
	for _, e := range files {
		mode := os.FileMode(0o644)
		if e.Mode == tree.Executable {
			mode = 0o755
		}
		if err := root.MkdirAll(filepath.Dir(e.Path), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
		f, err := root.OpenFile(e.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
		if _, err = f.Write(e.Content); err != nil {
			return errors.Join(fmt.Errorf("write %s: %w", e.Path, err), f.Close())
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
	}
	return nil
}
