package inforce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

func newCat(c *console.Console) *cobra.Command {
	evenStopped := false
	cmd := &cobra.Command{
		Use:   "cat NAME[/FILE] | PATH",
		Short: "Print a file as it is in force",
		Long: `Cat prints a capability's SKILL.md, another of its files, or any governed file, byte
for byte as it is in force: never from the worktree, and never from a commit that
did not pass the gate. What a human stopped (assent stop) is refused. On a terminal, control characters are shown, not obeyed.`,
		Example: `  assent cat parse-csv
  assent cat parse-csv/scripts/main.py
  assent cat soul/scout
  assent cat policies/roles.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runCat(cmd.Context(), c, args[0], evenStopped) },
	}
	cmd.Flags().BoolVar(&evenStopped, "even-stopped", false, "print it although a human stopped it, such as to repair it")
	return cmd
}

// catJSON is one file. Content is its text; Base64 is used instead if the file is not UTF-8.
type catJSON struct {
	Path    string    `json:"path"`
	Blob    tree.Hash `json:"blob"`
	InForce tree.Hash `json:"in_force"`
	Mode    string    `json:"mode"`
	Content string    `json:"content"`
	Base64  []byte    `json:"base64,omitempty"`
}

func runCat(ctx context.Context, c *console.Console, arg string, evenStopped bool) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	entry, err := fileInForce(cur, arg)
	if err != nil {
		return err
	}
	var view tree.View = cur.View
	if !evenStopped {
		if view, err = cur.Handout(ctx, view); err != nil {
			return err
		}
	}
	data, err := view.Read(entry.Path)
	if err != nil {
		return fmt.Errorf("read %s as it is in force: %w", entry.Path, err)
	}
	readFor(ctx, c, cur, entry.Path)
	if c.JSON {
		out := catJSON{Path: entry.Path, Blob: entry.Hash, InForce: cur.InForce, Mode: entry.Mode.String()}
		if utf8.Valid(data) {
			out.Content = string(data)
		} else {
			out.Base64 = data
		}
		return c.Emit(out)
	}
	if c.Terminal() {
		data = []byte(console.Clean(string(data)))
	}
	if _, err := c.Raw().Write(data); err != nil {
		return fmt.Errorf("write %s: %w", entry.Path, err)
	}
	return nil
}

// readFor records for a mission that its agent read a capability, as the tool load does: assent mission run names cat
// to the agent, and without a use nothing can be judged afterwards.
func readFor(ctx context.Context, c *console.Console, cur workspace.Session, file string) {
	mission, dir := c.World.Getenv("ASSENT_MISSION"), path.Dir(file)
	if mission == "" || path.Base(file) != names.SkillFile {
		return
	}
	use, err := observer{cur: cur}.lookup(path.Base(dir))
	if err != nil {
		return // it is printed, whatever it is
	}
	use.At, use.Source, use.Level, use.Mission = cur.Now(), trial.Engine, trial.Loaded, mission
	use.Agent, use.Model = c.World.Getenv("ASSENT_AGENT"), c.World.Getenv("ASSENT_MODEL")
	if _, err := trialsOf(cur).Record(ctx, use.Neat()); err != nil {
		c.Complain("%s a use is in no trial: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
	}
}

// fileInForce finds the file that an argument means: a governed path, or a
// capability's name and perhaps a file in its folder.
func fileInForce(cur workspace.Session, arg string) (tree.Entry, error) {
	arg = strings.TrimSuffix(arg, "/")
	if names.Governed(arg) {
		return governedFile(cur, arg)
	}
	name, file, _ := strings.Cut(arg, "/")
	folder, err := console.CapabilityNamed(cur, name)
	if err != nil {
		return tree.Entry{}, err
	}
	if file == "" {
		file = names.SkillFile
	}
	e, err := cur.View.Lookup(folder.Path + "/" + file)
	if err == nil && e.Mode.IsFile() {
		return e, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, err
	}
	return e, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%s has no file %q in force", folder.Name, file), Hint: "it has " + filesBelow(cur.View, folder.Path)}
}

// governedFile looks a path up; a folder means its SKILL.md or SOUL.md.
func governedFile(cur workspace.Session, path string) (tree.Entry, error) {
	for _, p := range []string{path, path + "/" + names.SkillFile, path + "/SOUL.md"} {
		e, err := cur.View.Lookup(p)
		if err == nil && e.Mode.IsFile() {
			return e, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return e, err
		}
	}
	hint := "assent why " + names.ShellWord(path) + " tells whether a proposal would bring it"
	if files := filesBelow(cur.View, path); files != "" {
		hint = "it is a folder; it holds " + files
	}
	return tree.Entry{}, &console.Failure{Code: console.ExitUsage, Err: console.Unknown("file", path, "in force"), Hint: hint}
}

// shownFiles bounds how many files a hint names.
const shownFiles = 12

func filesBelow(v tree.View, dir string) string {
	var out []string
	enough := errors.New("enough")
	err := tree.Files(v, dir, func(e tree.Entry) error {
		if len(out) == shownFiles {
			out = append(out, "…")
			return enough
		}
		out = append(out, strings.TrimPrefix(e.Path, dir+"/"))
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return ""
	}
	return strings.Join(out, ", ")
}
