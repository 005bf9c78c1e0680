package clients

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/install"
	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

type connectOptions struct {
	client                string
	workspace, agent      string
	trust                 string
	user, project, dryRun bool
}

func newConnect(c *console.Console) *cobra.Command {
	var o connectOptions
	cmd := &cobra.Command{
		Use:   "connect CLIENT",
		Short: "Let an agent client use a workspace: MCP server, instructions, hooks and skills",
		Long: `Connect writes into the settings of claude-code, codex, opencode, gemini, cursor or
openclaw: the server assent mcp, a marked block in CLAUDE.md, AGENTS.md or GEMINI.md that
says when to use it, for Claude Code, Codex and Gemini CLI hooks, and the skills in force. By default these are the files of the
project in the current folder; with --user they are your own, for all projects.

In a Git repository the project is then connected: the setting assent.workspace of its
.git/config names the workspace to every command that is run there, and .assent.yaml, for
you to commit, names it to others. Without --workspace, connect takes what these say.

A workspace that you have not used before is shown first: whose signatures decide there, and
whether its code is isolated. You accept it on the terminal, or with --trust and its id.

Everything else in the files stays byte for byte. A file that cannot be read for certain,
such as JSON with comments, is refused with its line, and then nothing is written.`,
		Example: `  assent connect claude-code --workspace ../agents --agent scout
  assent connect codex --user --agent scout --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.client = args[0]
			return runConnect(cmd.Context(), c, o)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "the workspace is in `DIR` (default: the project's)")
	trustFlag(cmd, &o)
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.ValidArgsFunction = complete.First(complete.Fixed(install.Clients()))
	return cmd
}

func trustFlag(cmd *cobra.Command, o *connectOptions) {
	cmd.Flags().StringVar(&o.trust, "trust", "", "accept the workspace with this `ID`, without a question")
}

func newDisconnect(c *console.Console) *cobra.Command {
	var o connectOptions
	cmd := &cobra.Command{
		Use:   "disconnect CLIENT",
		Short: "Take out of a client's settings what connect put there",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.client = args[0]
			return runDisconnect(cmd.Context(), c, o)
		},
	}
	o.flags(cmd)
	cmd.ValidArgsFunction = complete.First(complete.Fixed(install.Clients()))
	return cmd
}

func (o *connectOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.project, "project", false, "in the files of the project in the current folder (default)")
	cmd.Flags().BoolVar(&o.user, "user", false, "in your own files, for all projects")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would change, but write nothing")
}

// where finds the folder that holds the client's files.
func (o connectOptions) where(c *console.Console) (install.Where, error) {
	w := install.Where{Client: install.Client(o.client), User: o.user}
	if !slices.Contains(install.Clients(), w.Client) {
		return w, console.Usage("unknown client %q: one of %s", o.client, console.Words(install.Clients()))
	}
	if o.user && o.project {
		return w, console.Usage("give either --project or --user")
	}
	if !o.user && !w.InProjects() {
		return w, console.Usage("%s has no files in a project: give --user", o.client)
	}
	var err error
	if w.Dir, err = filepath.Abs(c.Dir); err != nil {
		return w, fmt.Errorf("find the current folder: %w", err)
	}
	if !o.user {
		return w, nil
	}
	if w.Dir = cmp.Or(c.World.Getenv("HOME"), c.World.Getenv("USERPROFILE")); w.Dir == "" {
		return w, console.Usage("--user: HOME is not set")
	}
	for _, moved := range w.Moved() {
		if at := c.World.Getenv(moved); at != "" && at != filepath.Join(w.Dir, ".config") { // which XDG_CONFIG_HOME is by default
			return w, console.Usage("--user: %s moves the client's files, and connect knows only the usual folder", moved)
		}
	}
	return w, nil
}

func runConnect(ctx context.Context, c *console.Console, o connectOptions) error {
	w, err := o.where(c)
	if err != nil {
		return err
	}
	p, err := o.projectOf(c)
	if err != nil {
		return err
	}
	p.connecting = true
	cur, err := p.session(ctx, c, o)
	if err != nil {
		return err
	}
	if o.agent, err = agentOf(cur, o.agent); err != nil {
		return err
	}
	//defence:connect-asks-before-it-writes
	if err := console.NeedTrust(c, cur, console.Accepted, o.trust, "repeat the command with --trust", o.dryRun); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	w.Command, w.Args = program, []string{"-C", skillsync.CloneOf(cur), "mcp", "--agent", o.agent}
	if p.repo != nil { // the project says where the workspace is, so that its files serve others too
		w.Command, w.Args = onPath(program), w.Args[2:]
	}
	w.Hook = "assent"
	if w.Command == program || w.Client == install.ClaudeCode { // whose hooks are in a file of this user alone
		w.Hook = names.ForShell(program)
	}
	w.Hook += " hook"
	switch {
	case p.repo == nil:
		w.Hook += " --workspace " + names.ForShell(skillsync.CloneOf(cur))
	case w.Client == install.ClaudeCode: // whose hooks run where its shell is
		w.Hook += ` --workspace "${CLAUDE_PROJECT_DIR:-.}"`
	}
	w.Hook += " --agent " + names.ShellWord(o.agent)
	if at := c.World.Getenv("ASSENT_HOME"); at != "" {
		w.Env = map[string]string{"ASSENT_HOME": at}
	}
	w.Hook += " || true" // a crash ends with exit code 2, by which a client takes a write as refused
	plan := func(m install.Memory) ([]install.Edit, error) {
		edits, err := w.Connect(m)
		if err != nil {
			return nil, err
		}
		named, err := p.name(m, w.Client, cur.Repo)
		return append(edits, named...), err
	}
	return o.both(ctx, c, w, p, plan, func(s syncing, t skillsync.Target) (skillsync.Plan, error) {
		t.Agent = o.agent
		return s.fill(ctx, cur, t)
	})
}

// session opens the workspace that the options name.
func (o connectOptions) session(ctx context.Context, c *console.Console) (workspace.Session, error) {
	at := *c
	at.Dir = o.workspace
	if !filepath.IsAbs(at.Dir) {
		at.Dir = filepath.Join(c.Dir, at.Dir)
	}
	cur, err := at.Current(ctx)
	c.Opened = at.Opened
	return cur, err
}

func runDisconnect(ctx context.Context, c *console.Console, o connectOptions) error {
	w, err := o.where(c)
	if err != nil {
		return err
	}
	p, err := o.projectOf(c)
	if err != nil {
		return err
	}
	shared, prune := false, func() {}
	plan := func(m install.Memory) ([]install.Edit, error) {
		shared, prune = w.SharesSkills(m), w.Leave(m)
		edits, err := w.Disconnect(m)
		if err != nil {
			return nil, err
		}
		named, err := p.unname(m)
		return append(edits, named...), err
	}
	return o.both(ctx, c, w, p, plan, func(s syncing, t skillsync.Target) (skillsync.Plan, error) {
		if !o.dryRun {
			defer func() { prune() }()
		}
		if shared {
			return skillsync.Plan{}, nil
		}
		return s.empty(ctx, t.Dir)
	})
}

// both makes the edits of the client's files, then syncs its folder of skills. A folder that cannot be
// synced does not keep the client from being connected.
func (o connectOptions) both(ctx context.Context, c *console.Console, w install.Where, p *connected, plan func(install.Memory) ([]install.Edit, error),
	sync func(syncing, skillsync.Target) (skillsync.Plan, error),
) error {
	dir, err := keys.Home()
	if err != nil {
		return err
	}
	s := syncing{c, home.At(dir), o.dryRun}
	edits, err := o.apply(ctx, s.store, p, plan)
	if err != nil {
		return err
	}
	t := skillsync.Target{Budget: w.Listing()}
	var skills *skillsync.Plan
	if t.Dir, err = w.SkillsDir(); err == nil {
		t.Dir, err = skillsync.RealPath(t.Dir)
	}
	if err == nil {
		var done skillsync.Plan
		if done, err = sync(s, t); err == nil && done.Dir != "" {
			skills = &done
		}
	}
	if err != nil {
		c.Complain("%s the client's folder of skills is not synced: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
		var r *install.Refused
		if errors.As(err, &r) {
			c.Complain("%s %s", c.Style.Dim("hint:"), console.OneLine(r.Fix))
		}
	}
	return o.show(c, edits, p.shown(), skills)
}

// agentOf is the agent as which a client acts: the named one, or the only one that there is.
func agentOf(cur workspace.Session, name string) (string, error) {
	known := propose.Agents(cur)
	switch {
	case name != "" && !propose.Known(cur, name):
		return "", &console.Failure{Code: console.ExitUsage, Err: &propose.Unknown{Agent: name, Agents: known}}
	case name != "":
		return name, nil
	case len(known) == 1:
		return known[0], nil
	}
	return "", console.Usage("--agent is missing: the agents are %s", console.Words(known))
}

// connectionsFile lists in the user's folder what connect created in clients' files.
const (
	connectionsFile = "connections.json"
	maxConnections  = 4 << 20
)

// editJSON is the JSON of one file.
type editJSON struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	Removed bool   `json:"removed"`
	Note    string `json:"note,omitempty"`
}

// apply plans all edits before it writes one, after the project's Git setting.
func (o connectOptions) apply(ctx context.Context, store home.Store, p *connected, plan func(install.Memory) ([]install.Edit, error)) (edits []install.Edit, err error) {
	if o.dryRun {
		old, err := store.Read(connectionsFile, maxConnections)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the list of connections: %w", err)
		}
		memory, err := remembered(old)
		if err != nil {
			return nil, err
		}
		edits, err = plan(memory)
		return edits, refusal(err)
	}
	var unwritten error // the files written before it are recorded all the same
	record := func(write bool) error {
		return store.Change(ctx, connectionsFile, maxConnections, func(old []byte) ([]byte, error) {
			memory, err := remembered(old)
			if err != nil {
				return nil, err
			}
			if edits, err = plan(memory); err != nil {
				return nil, err
			}
			for _, e := range edits {
				if e.Changes() {
					if err := e.Writable(); err != nil {
						return nil, &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("nothing is written: %w", err), Hint: "make the folder writable for you, and repeat the command"}
					}
				}
			}
			if err := p.settle(ctx, write); err != nil {
				return nil, err
			}
			for _, e := range edits {
				if write && e.Changes() && unwritten == nil {
					unwritten = e.Write()
				}
			}
			return json.MarshalIndent(memory, "", "  ")
		})
	}
	if p.connecting { // recorded first, so that disconnect removes what a kill leaves between two files
		err = record(false)
	}
	if err == nil {
		err = record(true)
	}
	return edits, refusal(errors.Join(err, unwritten))
}

func remembered(data []byte) (install.Memory, error) {
	m := install.Memory{}
	if len(data) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read the list of connections: %w", err)
	}
	return m, nil
}

func refusal(err error) error {
	var r *install.Refused
	if errors.As(err, &r) {
		return console.Refused(r.Fix, "%s", r)
	}
	return err
}

// show prints the edits; skills is nil if the folder of skills was not synced.
func (o connectOptions) show(c *console.Console, edits []install.Edit, setting *settingJSON, skills *skillsync.Plan) error {
	out := []editJSON{}
	for _, e := range edits {
		out = append(out, editJSON{e.Path(), e.Changes(), e.Changes() && e.After == nil, e.Note})
	}
	if c.JSON {
		return c.Emit(struct {
			DryRun  bool            `json:"dry_run,omitempty"`
			Files   []editJSON      `json:"files"`
			Setting *settingJSON    `json:"setting,omitempty"`
			Skills  *skillsync.Plan `json:"skills,omitempty"`
		}{o.dryRun, out, setting, skills})
	}
	for i, e := range edits {
		switch {
		case e.Note != "":
			c.Printf("%s %s stays, but %s\n", c.Style.Warn("warning:"), console.OneLine(out[i].File), console.OneLine(e.Note))
		case e.Before == nil && e.After == nil: // it is not there
		case !e.Changes():
			c.Printf("%s is as it should be\n", console.OneLine(out[i].File))
		case o.dryRun:
			c.Printf("%s", console.Clean(udiff.Unified(out[i].File, out[i].File, string(e.Before), string(e.After))))
		case out[i].Removed:
			c.Printf("removed %s\n", console.OneLine(out[i].File))
		default:
			c.Printf("wrote %s\n", console.OneLine(out[i].File))
		}
	}
	switch {
	case setting == nil:
	case setting.Value == "":
		c.Printf("git config --unset-all %s\n", names.ShellWord(setting.Key))
	default:
		c.Printf("git config %s %s\n", names.ShellWord(setting.Key), names.ForShell(console.OneLine(setting.Value)))
	}
	if skills != nil {
		printSync(c, *skills)
	}
	return nil
}
