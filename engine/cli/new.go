package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/capability"
	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/tree"
)

type newOptions struct {
	what, name, group, description, runtime, dir string
	dryRun                                       bool
}

// soulWord is what `assent new` calls an agent's identity.
const soulWord = "soul"

func newNew(c *console) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new skill | tool | soul NAME",
		Short: "Begin a skill, a tool or an agent from a template",
		Long: `New writes the files of a new skill, tool or soul into the worktree, where nothing
is in force yet. Fill them in, then check and propose them. No file is overwritten.`,
		Example: `  assent new skill haiku --group writing --description "Writes haikus. Use when asked for one."
  assent new tool parse-csv --runtime starlark
  assent new soul scribe`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: first(fixed([]string{string(capability.KindSkill), string(capability.KindTool), soulWord})),
		RunE: func(_ *cobra.Command, args []string) error {
			o.what, o.name = args[0], args[1]
			return runNew(c, o)
		},
	}
	cmd.Flags().StringVar(&o.group, "group", "", "put it into skills/`GROUP`/")
	cmd.Flags().StringVar(&o.description, "description", "", "what it does and when to use it, as `TEXT`")
	cmd.Flags().StringVar(&o.runtime, "runtime", "", "language of a tool: python, bash or starlark")
	cmd.Flags().StringVar(&o.dir, "dir", "", "write below `DIR` instead of the worktree")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "name the files, but write none")
	c.completeFlag(cmd, "group", c.groups)
	c.completeFlag(cmd, "runtime", fixed([]capability.Runtime{capability.Python, capability.Bash, capability.Starlark}))
	return cmd
}

// newJSON names the files that were written.
type newJSON struct {
	Dir    string   `json:"dir"`
	Files  []string `json:"files"`
	Next   []string `json:"next"`
	DryRun bool     `json:"dry_run,omitempty"`
}

func runNew(c *console, o newOptions) error {
	edits, diags, err := o.scaffold()
	if err != nil {
		return err
	}
	if diags.HasErrors() {
		return &failure{code: exitUsage, err: fmt.Errorf("a new %s cannot be called or described like this", o.what), diags: diags}
	}
	dir := o.dir
	if dir == "" {
		repo, err := gitstore.Open(c.dir)
		if err != nil {
			return err
		}
		if repo.Bare() {
			return usage("the repository has no worktree to write into: name a folder with --dir")
		}
		dir = repo.Root()
		if err := taken(repo, o); err != nil {
			return err
		}
	}
	if err := writeNew(dir, edits, o.dryRun); err != nil {
		return err
	}
	out := newJSON{Dir: dir, Files: paths(edits), DryRun: o.dryRun, Next: []string{"assent check", "assent propose --agent NAME"}}
	if c.json {
		return c.emit(out)
	}
	verb := c.style.good("wrote")
	if o.dryRun {
		verb = c.style.warn("would write")
	}
	for _, f := range out.Files {
		c.printf("%s %s\n", verb, oneLine(f))
	}
	c.field("next", "fill it in, then: assent check; assent propose --agent NAME")
	return nil
}

func (o newOptions) scaffold() ([]tree.Edit, diag.List, error) {
	so := capability.ScaffoldOptions{Group: o.group, Description: o.description, Runtime: capability.Runtime(o.runtime)}
	switch {
	case o.what != string(capability.KindTool) && o.runtime != "":
		return nil, nil, usage("--runtime is for tools; a %s has none", o.what)
	case o.what == soulWord && o.group != "":
		return nil, nil, usage("--group is for skills and tools; souls stand in soul/NAME/")
	case o.what == soulWord:
		edits, diags := capability.ScaffoldSoul(o.name, so)
		return edits, diags, nil
	case o.what == string(capability.KindSkill) || o.what == string(capability.KindTool):
		edits, diags := capability.Scaffold(capability.Kind(o.what), o.name, so)
		return edits, diags, nil
	}
	return nil, nil, usage("%q cannot be made: it is skill, tool or soul", o.what)
}

// taken refuses a name that another capability of the worktree answers to.
func taken(repo *gitstore.Repo, o newOptions) error {
	if o.what == soulWord {
		return nil
	}
	view, err := repo.WorktreeView(capability.Root)
	if err != nil {
		return fmt.Errorf("look at the worktree: %w", err)
	}
	folders, _, err := capability.Folders(view)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range folders {
		if names.Fold(f.Name) == names.Fold(o.name) {
			return refused("choose another name, or edit that one", "the name %s is taken by %s", o.name, f.Path)
		}
	}
	return nil
}

// writeNew writes files below dir and nowhere else: links that lead out of it are
// not followed. It looks for all of them before it writes the first.
func writeNew(dir string, edits []tree.Edit, dryRun bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return usage("open the folder: %v", err)
	}
	defer root.Close()
	for _, e := range edits {
		if _, err := root.Lstat(filepath.FromSlash(e.Path)); err == nil {
			return refused("edit it, or choose another name", "%s is there already; nothing was written", e.Path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look for %s: %w", e.Path, err)
		}
	}
	if dryRun {
		return nil
	}
	for _, e := range edits {
		if err := writeOne(root, e); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
	}
	return nil
}

func writeOne(root *os.Root, e tree.Edit) error {
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(e.Path)), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if e.Mode == tree.Executable {
		mode = 0o755
	}
	f, err := root.OpenFile(filepath.FromSlash(e.Path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(e.Content)
	return errors.Join(err, f.Close())
}
