package begin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

type initOptions struct {
	dir    string
	agents []string
	key    string
	dryRun bool
	from   fromOptions
	github githubOptions
}

func newInit(c *console.Console) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Begin a workspace, in a new or an existing repository",
		Long: `Init begins a workspace: one signed commit on main with policies, workflows, a few
capabilities, and a SOUL.md for each agent. In an existing repository nothing is
overwritten; what is there stays and becomes part of the beginning.

The reviewer's SSH key is made outside the workspace, unless --key names one.

With --github it also adds the workflows that have pull requests validated on GitHub,
code owners and a ruleset to import. In a workspace that was begun before, it writes
those of these files that are missing, for you to commit.

With --from the workspace begins with your own skills, fitted into the format as import
does, and with --soul your own instructions are the SOUL.md of the agent. Both are
validated; a skill with errors is left out and reported. Your files stay as they are.`,
		Example: `  assent init my-agents --from ~/.claude/skills --soul CLAUDE.md --agent scout
  assent init my-agents --agent scout --agent smith
  assent init --key ~/.ssh/id_ed25519 --dry-run
  assent init --github --login ada --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = c.Dir
			if len(args) == 1 {
				o.dir = filepath.Join(c.Dir, args[0])
				if filepath.IsAbs(args[0]) {
					o.dir = args[0]
				}
			}
			return runInit(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringArrayVar(&o.agents, "agent", nil, "make a SOUL.md for the agent `NAME`; may be repeated (default scout and smith)")
	cmd.Flags().StringVar(&o.key, "key", "", "review with the SSH key in `FILE` (or agent) instead of a new one")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be added, but write nothing")
	o.from.flags(cmd.Flags())
	o.github.flags(cmd)
	return cmd
}

// initJSON is init's JSON.
type initJSON struct {
	Dir         string    `json:"dir"`
	Workspace   string    `json:"workspace"`
	Added       []string  `json:"added"`
	Kept        []string  `json:"kept"`
	Human       string    `json:"human"`
	Key         string    `json:"key"`
	Fingerprint string    `json:"fingerprint"`
	Bare        bool      `json:"bare"` // the key has no passphrase
	Agents      []string  `json:"agents"`
	Diagnostics diag.List `json:"diagnostics"`
	DryRun      bool      `json:"dry_run,omitempty"`
	// Brought are the folders of --from.
	Brought []broughtJSON `json:"brought,omitempty"`
}

func runInit(ctx context.Context, c *console.Console, o initOptions) error {
	if len(o.agents) == 0 {
		o.agents = []string{"scout", "smith"}
	}
	if err := errors.Join(o.github.check(ctx, c), o.from.check(o.agents)); err != nil {
		return err
	}
	if err := checkAgents(o.agents); err != nil {
		return err
	}
	if err := notInside(o.dir); err != nil {
		return err
	}
	repo, cleanup, err := repository(o)
	if err != nil {
		return err
	}
	defer cleanup()
	w := workspace.Of(repo, workspace.Surroundings{Now: c.World.Now, Random: c.World.Random})
	var newer *workspace.NewerFormat
	if cur, err := w.Session(ctx); err == nil {
		if o.github.wanted {
			return addGitHub(c, cur, o)
		}
		return console.Refused("assent status shows its state", "%s: %w", o.dir, genesis.ErrAlready)
	} else if errors.As(err, &newer) {
		return err
	}
	if err := onMain(repo, o); err != nil {
		return err
	}
	again := "assent init"
	if o.dir != "." {
		again += " " + o.dir
	}
	person, err := console.Person(w, again)
	if err != nil {
		return err
	}
	signer, source, err := reviewerKey(c, o)
	if err != nil {
		return err
	}
	defer signer.Close()
	person.PublicKey = signer.AuthorizedKey()
	plan, brought, err := planBeginning(ctx, c, w, o, person)
	if err != nil {
		return err
	}
	if err := namesSigner(plan, signer); err != nil {
		return err
	}
	if plan.Keep == nil {
		plan.Keep = []string{}
	}
	out := initJSON{
		Dir: o.dir, Added: paths(plan.Add), Kept: plan.Keep, Human: policy.IdentityName(person.Name), Key: source,
		Fingerprint: string(signer.Fingerprint()), Bare: signer.Bare, Agents: o.agents, Diagnostics: plan.Diagnostics, DryRun: o.dryRun,
		Brought: brought,
	}
	if !o.dryRun {
		if out.Workspace, err = beginWorkspace(ctx, c, w, plan, signer, person); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.Emit(out)
	}
	printBegun(c, out)
	return nil
}

func checkAgents(agents []string) error {
	var bad diag.List
	for _, a := range agents {
		bad.Add(names.CheckAgent(a, diag.Pos{})...)
	}
	if bad.HasErrors() {
		return &console.Failure{Code: console.ExitUsage, Err: errors.New("a name of an agent cannot be used"), Diags: bad}
	}
	return nil
}

// namesSigner refuses a roles.yaml in which the signer's key is not that of a human.
func namesSigner(plan genesis.Plan, signer *keys.Signer) error {
	if id, known := plan.Roles.ByKey(signer.Fingerprint()); known && plan.Roles.Satisfies(id, policy.Human) {
		return nil
	}
	return &console.Failure{
		Code: console.ExitRefused, Err: fmt.Errorf("the existing %s names no human with the key %s: no one could approve anything", policy.RolesFile, signer.Fingerprint()),
		Hint:  "add your key to it, or move it away and assent init writes one that names you",
		Diags: slices.DeleteFunc(slices.Clone(plan.Diagnostics), func(d diag.Diagnostic) bool { return d.Pos.File != policy.RolesFile }),
	}
}

// beginWorkspace writes the genesis commit and updates the checkout and the remote's refspecs. It
// returns the workspace's id.
func beginWorkspace(ctx context.Context, c *console.Console, w *workspace.Workspace, plan genesis.Plan, signer *keys.Signer, person policy.Person) (string, error) {
	commit, err := genesis.Begin(ctx, w, plan, signer, gitstore.Person{Name: person.Name, Email: person.Email, When: c.World.Now()})
	var stale *gitstore.ErrStale
	if errors.As(err, &stale) && stale.Ref == attest.MainRef {
		return "", console.Refused("assent status shows the present state", "main moved while this made a workspace of it: another init began at the same moment")
	}
	if err != nil {
		return "", err
	}
	refresh, err := w.Repo.RefreshWorktree(plan.Parent, commit)
	if !c.JSON {
		output.PrintCheckout(c, refresh, err)
	}
	if err := console.FollowJournals(ctx, w.Repo); err != nil {
		c.Progress("fetching from origin will lack the journals of proposals (%v); assent doctor says how to change it", err)
	}
	return commit.String(), nil
}

// reviewerKey takes the key that is named, or makes one outside the workspace.
func reviewerKey(c *console.Console, o initOptions) (*keys.Signer, string, error) {
	spec := o.key
	if spec == "" {
		path, err := keys.Path(keys.DefaultName)
		if err != nil {
			return nil, "", err
		}
		spec = path
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			if o.dryRun { // a key of the moment, so that the plan can be shown whole
				path = filepath.Join(os.TempDir(), fmt.Sprintf("assent-dry-run-%d", os.Getpid()), keys.DefaultName)
				defer os.RemoveAll(filepath.Dir(path))
			}
			var secret []byte
			if c.World.Interactive && !o.dryRun && !c.JSON {
				if secret, err = console.NewPassphrase(c, "Passphrase for your new key (Enter for none): ", true); err != nil {
					return nil, "", err
				}
			}
			if _, err := keys.Generate(path, "assent reviewer", secret); err != nil {
				return nil, "", err
			}
			s, err := keys.Load(path, func() ([]byte, error) { return bytes.Clone(secret), nil })
			return s, spec + " (new)", err
		}
	}
	s, err := console.LoadSigner(c, spec)
	return s, spec, err
}

// planBeginning decides the first additions.
func planBeginning(ctx context.Context, c *console.Console, w *workspace.Workspace, o initOptions, person policy.Person) (genesis.Plan, []broughtJSON, error) {
	if o.github.login != "" {
		person.Logins = map[string]string{"github": o.github.login}
	}
	roles, err := policy.InitialRoles(person, o.agents)
	if err != nil {
		return genesis.Plan{}, nil, fmt.Errorf("make roles.yaml for %s <%s>: %w", person.Name, person.Email, err)
	}
	files, err := builtIn()
	if err != nil {
		return genesis.Plan{}, nil, err
	}
	template := genesis.Template(files, o.agents, roles, func(agent string) []tree.Edit {
		edits, _ := capability.ScaffoldSoul(agent, capability.ScaffoldOptions{})
		return edits
	})
	if o.github.wanted {
		files, err := begunWithGitHub(c, w, o.github)
		if err != nil {
			return genesis.Plan{}, nil, err
		}
		template = append(template, files...)
	}
	return o.from.apply(ctx, w, template, o.agents, c.Progress)
}

// builtIn reads the template that the program carries.
func builtIn() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(assent.Template, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path], err = assent.Template.ReadFile(path)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the built-in template: %w", err)
	}
	return files, nil
}

func paths(edits []tree.Edit) []string {
	out := []string{}
	for _, e := range edits {
		out = append(out, e.Path)
	}
	return out
}

func printBegun(c *console.Console, o initJSON) {
	if o.DryRun {
		c.Printf("%s\n", c.Style.Warn("dry run: nothing is written; this is what would be added to "+o.Dir))
	} else {
		c.Printf("%s %s\n", c.Style.Good("workspace"), console.OneLine(o.Dir))
		c.Field("id", o.Workspace)
	}
	c.Field("reviewer", fmt.Sprintf("%s, key %s", console.OneLine(o.Human), console.OneLine(o.Key)))
	c.Field("", o.Fingerprint)
	if why := console.Bare(c); o.Bare && why != "" {
		c.Field("", why)
	}
	c.Field("agents", console.OneLine(strings.Join(o.Agents, ", ")))
	c.Field("added", console.Plural(len(o.Added), "file"))
	if o.DryRun {
		for _, p := range o.Added {
			c.Printf("    + %s\n", console.OneLine(p))
		}
	}
	slices.Sort(o.Kept)
	for _, p := range o.Kept {
		c.Printf("    %s %s (there already)\n", c.Style.Dim("="), console.OneLine(p))
	}
	printBrought(c, o.Brought)
	// Notes are about texts that the user did not write; assent scan shows them.
	c.Diagnostics(c.World.Out, slices.DeleteFunc(slices.Clone(o.Diagnostics), func(d diag.Diagnostic) bool { return d.Severity == diag.Note }))
	if !o.DryRun {
		c.Field("next", "assent list; assent new skill NAME; assent propose DIR --agent "+names.ShellWord(o.Agents[0]))
	}
}
