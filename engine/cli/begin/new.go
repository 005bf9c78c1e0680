package begin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/project"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/tools/prove"
)

type newOptions struct {
	what, name                  string
	scaffolded                  capability.ScaffoldOptions
	runtime, template, language string
	dir, trigger                string
	dryRun, verify, propose     bool
	agent, goal                 string // of the proposal
}

// soulWord is what `assent new` calls an agent's identity.
const soulWord = "soul"

// newWords lists the kinds that can be begun.
func newWords() []string {
	var out []string
	for _, k := range capability.Kinds() {
		out = append(out, string(k))
	}
	return append(out, soulWord, workflowWord)
}

func newNew(c *console.Console) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:     "new skill | tool | mcp | agent | soul | workflow NAME",
		Aliases: []string{"scaffold"},
		Short:   "Begin a skill, a tool, a server, an agent or a workflow from a template",
		Long: `New writes the files of a new skill, tool, server (mcp), sub-agent (agent), soul or
workflow into the worktree, where nothing is in force yet. Fill them in, then check and propose them.
No file is overwritten. With --propose they become a proposal instead, and no file of the
worktree is touched.

Tools and servers check their input and answer "not implemented" to the rest: no logic is
made up. They may do no more than they need: a server of files has no network, and others
reach the hosts that --host names.

With --verify nothing is written unless it holds: the files read, a server starts in the
sandbox and lists its methods, wrong input is refused, and a skill is found by what it
says of when to use it. --propose does the same where there is a sandbox, and says so
where there is none.`,
		Example: `  assent new skill haiku --group writing --description "Writes haikus. Use when asked for one." --verify
  assent new tool parse-csv --runtime starlark
  assent new mcp weather --template http-api --host api.example.com:443 --language python
  assent new agent proof-reader --propose --agent smith
  assent new soul scribe
  assent new workflow spelling --template checks`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: complete.First(complete.Fixed(newWords())),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.what, o.name = args[0], args[1]
			if err := o.check(cmd); err != nil {
				return err
			}
			return runNew(cmd.Context(), c, o)
		},
	}
	o.flags(cmd, c)
	return cmd
}

func (o *newOptions) flags(cmd *cobra.Command, c *console.Console) {
	f := cmd.Flags()
	f.StringVar(&o.scaffolded.Group, "group", "", "put it into skills/`GROUP`/")
	f.StringVar(&o.scaffolded.Description, "description", "", "what it does and when to use it, as `TEXT`")
	f.StringVar(&o.runtime, "runtime", "", "language of a tool: python, bash, node or starlark")
	f.StringVar(&o.template, "template", "", "what a server is for: "+console.Words(capability.Templates())+"; a workflow: "+console.Words(workflowTemplates()))
	f.StringVar(&o.language, "language", "", "language of a server: typescript or python (default: mcp_language of policies/gaps.yaml, else typescript)")
	f.StringArrayVar(&o.scaffolded.Hosts, "host", nil, "a `HOST:PORT` that a server may reach; may be repeated")
	f.StringArrayVar(&o.scaffolded.Secrets, "secret", nil, "the `NAME` of a secret that a server gets; may be repeated")
	f.StringVar(&o.dir, "dir", "", "write below `DIR` instead of the worktree")
	f.BoolVar(&o.verify, "verify", false, "write it only if it reads, starts, refuses wrong input, and is found")
	f.StringVar(&o.trigger, "trigger", "", "with --verify or --propose: a skill or sub-agent has to be found by this `TEXT` (default: what its description says of when)")
	f.BoolVar(&o.propose, "propose", false, "propose it, and write nothing into the worktree")
	f.StringVar(&o.goal, "goal", "", "with --propose: what it is for, in one `LINE`")
	complete.AgentFlag(cmd, c, &o.agent)
	f.BoolVar(&o.dryRun, "dry-run", false, "name the files, but write none")
	complete.Flag(cmd, "group", complete.Groups(c))
	complete.Flag(cmd, "runtime", complete.Fixed([]capability.Runtime{capability.Python, capability.Bash, capability.Node, capability.Starlark}))
	complete.Flag(cmd, "template", complete.Fixed(append(capability.Templates(), workflowTemplates()...)))
	complete.Flag(cmd, "language", complete.Fixed(capability.Languages()))
}

// newFlags says which words a flag means something for.
func newFlags() map[string][]string {
	return map[string][]string{
		"runtime": {"tool"}, "template": {"mcp", workflowWord}, "language": {"mcp"}, "host": {"mcp"}, "secret": {"mcp"},
		"group": {"skill", "tool", "mcp", "agent"}, "trigger": {"skill", "agent"}, "verify": {"skill", "tool", "mcp", "agent"},
	}
}

// check refuses a command line that says something which means nothing.
func (o *newOptions) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if !slices.Contains(newWords(), o.what) {
		return console.Usage("%q cannot be made: it is one of %s", o.what, strings.Join(newWords(), ", "))
	}
	for _, flag := range slices.Sorted(maps.Keys(newFlags())) {
		if of := newFlags()[flag]; given(flag) && !slices.Contains(of, o.what) {
			return console.Usage("--%s is for %s; a %s has none", flag, strings.Join(of, ", "), o.what)
		}
	}
	switch {
	case o.what == string(capability.KindMCP) && o.template == "":
		return console.Usage("say what the server is for: --template %s", console.Words(capability.Templates()))
	case o.what == workflowWord && o.propose:
		return console.Usage("write it, then propose it: assent propose workflows/%s.yaml", names.ShellWord(o.name))
	case o.propose && o.dir != "":
		return console.Usage("--dir writes files, and --propose writes none: give one of them")
	case !o.propose && (given("agent") || given("goal")):
		return console.Usage("--agent and --goal go with --propose; files of the worktree have no proposer")
	case o.trigger != "" && !o.verify && !o.propose:
		return console.Usage("--trigger is looked for with --verify or --propose")
	}
	o.scaffolded.Runtime, o.scaffolded.Template, o.scaffolded.Language = capability.Runtime(o.runtime), capability.Template(o.template), capability.Language(o.language)
	return nil
}

func (o newOptions) scaffold() ([]tree.Edit, error) {
	make := func() ([]tree.Edit, diag.List) {
		return capability.Scaffold(capability.Kind(o.what), o.name, o.scaffolded)
	}
	if o.what == soulWord {
		make = func() ([]tree.Edit, diag.List) { return capability.ScaffoldSoul(o.name, o.scaffolded) }
	}
	edits, diags := make()
	if diags.HasErrors() {
		return nil, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("a new %s cannot be called or described like this", o.what), Diags: diags}
	}
	return edits, nil
}

// newJSON names the files that were written.
type newJSON struct {
	Dir    string        `json:"dir"`
	Files  []string      `json:"files"`
	Checks []prove.Check `json:"checks,omitempty"`
	Next   []string      `json:"next"`
	DryRun bool          `json:"dry_run,omitempty"`
}

func runNew(ctx context.Context, c *console.Console, o newOptions) error {
	var edits []tree.Edit
	var err error
	if o.what == string(capability.KindMCP) && o.language == "" {
		if p, err := policiesHere(ctx, c); err == nil { // a workspace that cannot be read has no say
			o.scaffolded.Language = p.Gaps.Language
		}
	}
	if o.what != workflowWord {
		edits, err = o.scaffold()
	}
	switch {
	case err != nil:
		return err
	case o.propose:
		return proposeNew(ctx, c, o, edits)
	}
	dir, beside := o.dir, tree.View(tree.NewMap())
	if dir == "" {
		repo, _, err := project.Open(c.Dir)
		if err != nil {
			return err
		}
		if repo.Bare() {
			return console.Usage("the repository has no worktree to write into: name a folder with --dir, or give --propose")
		}
		dir = repo.Root()
		if beside, err = repo.WorktreeView(capability.Root); err != nil {
			return fmt.Errorf("look at the worktree: %w", err)
		}
		if err := taken(beside, o); err != nil {
			return err
		}
	}
	if o.what == workflowWord {
		if edits, err = scaffoldWorkflow(o, func(path string) bool { return exists(dir, path) }); err != nil {
			return err
		}
	}
	if err := writeNew(dir, edits, true); err != nil { // files in the way are reported before the trial
		return err
	}
	out := newJSON{Dir: dir, Files: paths(edits), DryRun: o.dryRun, Next: []string{"assent check", "assent propose --agent NAME"}}
	if o.what == workflowWord {
		inputs := ""
		if o.template == "acquire" { // which requires them
			inputs = " --input capability=ocr --input 'goal=read scans'"
		}
		out.Next = []string{"assent workflow test " + names.ShellWord(out.Files[0]) + inputs, "assent propose " + names.ShellWord(out.Files[0])}
	}
	if o.verify {
		if out.Checks, err = verifyNew(ctx, c, o, edits, beside); err != nil {
			return err
		}
	}
	if err := writeNew(dir, edits, o.dryRun); err != nil {
		return err
	}
	return printNew(c, out)
}

func printNew(c *console.Console, out newJSON) error {
	if c.JSON {
		return c.Emit(out)
	}
	printTried(c, out.Checks)
	verb := c.Style.Good("wrote")
	if out.DryRun {
		verb = c.Style.Warn("would write")
	}
	for _, f := range out.Files {
		c.Printf("%s %s\n", verb, console.OneLine(f))
	}
	c.Field("next", "fill it in, then: "+strings.Join(out.Next, "; "))
	return nil
}

// taken refuses a name that another capability answers to.
func taken(v tree.View, o newOptions) error {
	if o.what == soulWord || o.what == workflowWord {
		return nil
	}
	folders, _, err := capability.Folders(v)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range folders {
		if names.Fold(f.Name) == names.Fold(o.name) {
			return nameTaken(o.name, f.Path)
		}
	}
	return nil
}

func nameTaken(name, path string) error {
	return console.Refused("choose another name, or edit that one", "the name %s is taken by %s", name, path)
}
