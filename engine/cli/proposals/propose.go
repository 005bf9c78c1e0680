package proposals

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/memory"
)

// proposeOptions are the flags of propose and update.
type proposeOptions struct {
	draft string
	files []string
	agent string
	group string
	goal  string
	// differs are NAME=how: answers about similar capabilities.
	differs  []string
	dryRun   bool
	madeWith string
	source   string // the argument
	remove   []string
	methods  string            // of this server
	only     []string          // paths of the worktree
	updated  string            // the proposal to update
	placed   map[string]string // by a skill's name: its folder in that proposal
	acquired acquireOptions
	limited  limitationOptions
}

func newPropose(c *console.Console) *cobra.Command {
	var o proposeOptions
	cmd := &cobra.Command{
		Use:   "propose [DIR | FILE | - | PATH... | --tool NAME | --limitation TEXT | --methods NAME | --delete NAME]",
		Short: "Propose a change: it becomes a branch and a pull request",
		Long: `Propose turns a change into a branch and a pull request, validates it, and says
who must approve it.

The change comes from
  -f draft.md [--files DIR]   a draft (front matter with a goal, and why) and files
  DIR                         a skill's folder, or a folder laid out like the workspace
  - or FILE                   a draft from standard input, or a draft by itself
  --tool NAME --code FILE     code that becomes a tool, if it answers --payload in the sandbox
  --limitation TEXT           what cannot be done today: your drafter, or a template, specifies a tool
  --methods NAME              the methods that a server in force lists now; after the merge only these are called
  --delete NAME               that a capability in force be taken away
  PATH...                     what the worktree changes of these files and folders of the workspace
  nothing                     what the current branch or worktree changes against what is in force

A draft may carry its files: fenced blocks whose first line says file=PATH.
If the change adds or updates a server, assent starts it in the sandbox without hosts and
secrets, and adds the methods that it lists to the proposal.`,
		Example: `  assent propose ./my-skill --agent scout
  assent propose -f draft.md --files ./change --agent smith
  assent propose --tool word_count --code count.py --payload '{"text": "a b"}' --schema count.json --agent smith
  assent propose --limitation "letters cannot be sent by fax" --missing fax-sender --agent smith --json
  assent propose policies/roles.yaml skills/parse-csv --goal "who may approve it"
  assent propose --delete word_count --goal "it is no longer called" --agent smith
  assent propose --goal "sharpen the wording" --dry-run`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			limited, err := o.limited.given(cmd, args)
			if err != nil {
				return err
			}
			if limited {
				return runLimitation(cmd.Context(), c, o)
			}
			if o.source, o.only, err = readArguments(c, args); err != nil {
				return err
			}
			if err := o.wholeWorktree(c); err != nil {
				return err
			}
			if len(o.remove) > 0 || o.methods != "" {
				if o.acquired.given(cmd) {
					return console.Usage("give one of --tool, --delete and --methods")
				}
				return runNamed(cmd.Context(), c, o)
			}
			if o.acquired.given(cmd) {
				return runAcquire(cmd.Context(), c, o)
			}
			return runPropose(cmd.Context(), c, o)
		},
	}
	o.flags(cmd, c)
	o.acquired.flags(cmd)
	cmd.Flags().StringArrayVar(&o.remove, "delete", nil, "propose to take away the capability of this `NAME`; may be repeated")
	cmd.Flags().StringVar(&o.methods, "methods", "", "propose the methods that the server of this `NAME` lists now")
	o.limited.flags(cmd)
	return cmd
}

// readArguments separates paths of the worktree from a draft and from a folder. A skill's folder
// is a folder, even if it is in the worktree.
func readArguments(c *console.Console, args []string) (source string, only []string, err error) {
	if len(args) == 0 {
		return "", nil, nil
	}
	w, err := c.Open()
	if err != nil {
		return "", nil, err
	}
	for _, arg := range args {
		p, ok := governedPath(w.Repo.Root(), arg)
		if _, err := os.Stat(filepath.Join(arg, names.SkillFile)); len(args) == 1 && (!ok || err == nil) {
			return arg, nil, nil
		}
		if !ok {
			return "", nil, console.Usage("%s: of several paths, each has to be in a governed folder of the workspace (%s)", arg, strings.Join(governedNames(), ", "))
		}
		only = append(only, p)
	}
	return "", only, nil
}

// wholeWorktree treats the workspace's own folder as its worktree: its changes are proposed, not
// all of its files.
func (o *proposeOptions) wholeWorktree(c *console.Console) error {
	if o.source == "" || o.source == "-" || o.draft != "" || len(o.files) > 0 {
		return nil
	}
	w, err := c.Open()
	if err != nil {
		return err
	}
	if p, _ := governedPath(w.Repo.Root(), o.source); p == "." {
		o.source = ""
	}
	return nil
}

// command returns the command that takes paths of the worktree.
func (o proposeOptions) command() string {
	if o.updated != "" {
		return "assent update " + names.ShellWord(o.updated)
	}
	return "assent propose"
}

// nothing says that there is no change to take.
func (o proposeOptions) nothing() string {
	if o.updated != "" {
		return "nothing to put on " + o.updated
	}
	return "nothing to propose"
}

func governedNames() (out []string) {
	for _, a := range names.GovernedAreas() {
		if a != names.ProposalsArea {
			out = append(out, string(a)+"/")
		}
	}
	return out
}

// governedPath is where an argument is in the workspace, and whether it is governed there.
func governedPath(root, arg string) (string, bool) {
	abs, err := filepath.Abs(arg)
	if err != nil || arg == "-" || root == "" {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(real, filepath.Base(abs))
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, abs)
	rel = filepath.ToSlash(rel)
	area := names.Area(rel + "/x")
	return rel, err == nil && area != names.OtherArea && area != names.ProposalsArea
}

func (o *proposeOptions) flags(cmd *cobra.Command, c *console.Console) {
	cmd.Flags().StringVarP(&o.draft, "file", "f", "", "read the draft from `FILE` (- is standard input)")
	cmd.Flags().StringArrayVar(&o.files, "files", nil, "add the files of `DIR`; may be repeated")
	cmd.Flags().StringVar(&o.agent, "agent", c.World.Getenv("ASSENT_AGENT"), "propose as this `AGENT` (default $ASSENT_AGENT)")
	cmd.Flags().StringVar(&o.group, "group", "", "put a bare skill folder into skills/`GROUP`/")
	cmd.Flags().StringVar(&o.goal, "goal", "", "what the change is for, in one `LINE`")
	cmd.Flags().StringArrayVar(&o.differs, "differs-from", nil, "say how it differs from a capability that it is much like, as `NAME=HOW`; may be repeated")
	cmd.Flags().StringVar(&o.madeWith, "made-with", c.World.Getenv("ASSENT_MADE_WITH"), "say what made it, such as a tool's `NAME` (default $ASSENT_MADE_WITH); it is recorded as a claim")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "validate and judge, but write nothing")
}

func runPropose(ctx context.Context, c *console.Console, o proposeOptions) error {
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	r, notes, err := o.request(ctx, c, cur)
	if err != nil {
		return err
	}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	remarks, err := memory.Remarks(cur, out.Examined)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, append(notes, remarks...), o.dryRun)
}
