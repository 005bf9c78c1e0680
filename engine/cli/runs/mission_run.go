package runs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/mission"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/serve"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// Agents connects an agent to the workspace, for one mission.
type Agents func(c *console.Console, name, mission string) *toolset.Agent

type missionRunOptions struct {
	agent, line, id, in string
	rounds              int
	timeout, wait, poll time.Duration
	dryRun              bool
}

// NewMissionRun is the command assent mission run.
func NewMissionRun(c *console.Console, agents Agents) *cobra.Command {
	var o missionRunOptions
	cmd := &cobra.Command{
		Use:   "run MISSION --command LINE",
		Short: "Have an agent's command do a mission, and get what it lacks",
		Long: `Run links a mission and runs a command line for it in the shell. The command reads the mission and
what is in force for it on standard input. Linked tools and servers that were neither tested nor used
here for a day have their smoke tests run first; what fails goes into quarantine. When the command
ends, assent hears in its output what it lacked. It tells the command about capabilities already in
force, and reports the rest as assent gap does. Then it runs engine passes until all of them are in
force, and runs the command again in the same folder, at most --rounds times. People still approve
everything. With a remote but no service, each pass pulls from origin and pushes to it.

Meanwhile it shows who works on each job, who must act next, and the command to run: in a few
lines that update in place on a terminal, elsewhere as one line per change on standard error.

The command works in a new worktree of the project, on the branch mission/ID, or, outside of a
project, in a new folder; --in names another folder. It runs as you, outside the sandbox.

Each step is recorded before the next one. assent mission run --id ID goes on with a mission that was
interrupted, or that waits, by the same command unless --command names another one;
assent mission list --open names these missions. If assent is killed, the command ends, too. It ends
with 0 if the mission succeeded, with 1 if it failed, and with 3 if it still waits.`,
		Example: `  assent mission run "move the ticket to done" --agent scout --command "claude -p --permission-mode acceptEdits"
  assent mission run --id m-3k7q`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMission(cmd.Context(), c, o, agents, strings.Join(args, ""))
		},
	}
	complete.AgentFlag(cmd, c, &o.agent)
	f := cmd.Flags()
	f.StringVar(&o.line, "command", "", "the command `LINE` of the agent (required for a new mission)")
	f.StringVar(&o.id, "id", "", "the mission's `ID`; without MISSION, the one to go on with")
	f.StringVar(&o.in, "in", "", "the `DIR` that the command works in")
	f.IntVar(&o.rounds, "rounds", 3, "run the command at most `N` times")
	f.DurationVar(&o.timeout, "timeout", 6*time.Hour, "end the command when one run of it takes so long")
	f.DurationVar(&o.wait, "wait", time.Hour, "wait so long for what is lacking")
	f.DurationVar(&o.poll, "poll", 10*time.Second, "make a pass of the engine this often while it waits")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what the command would be told of, but run and record nothing")
	return cmd
}

func (o missionRunOptions) check(text string) error {
	switch {
	case strings.TrimSpace(text) == "" && o.id == "":
		return console.Usage("name the mission, or one to go on with: --id ID")
	case len(text) > maxMission:
		return console.Usage("the mission has %d bytes, at most %d", len(text), maxMission)
	case o.rounds < 1 || o.rounds > 20:
		return console.Usage("--rounds %d: it is 1 to 20", o.rounds)
	case o.wait < 0 || o.poll < time.Second || o.timeout < time.Second:
		return console.Usage("--wait is 0 or more, --poll and --timeout at least 1s")
	case text == "" && o.in != "":
		return console.Usage("--in is for a new mission: %s has its folder", o.id)
	case o.in != "": // before the mission has a folder of its own
		if info, err := os.Stat(o.in); err != nil || !info.IsDir() {
			return console.Usage("--in %s is no folder", o.in)
		}
	}
	return nil
}

// maxMission bounds the text of a mission, in bytes.
const maxMission = 1 << 20

func runMission(ctx context.Context, c *console.Console, o missionRunOptions, agents Agents, text string) error {
	if err := o.check(text); err != nil {
		return err
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	if o.id == "" {
		o.id = "m-" + strings.ToLower(rand.Text()[:10])
	}
	if err := trial.CheckMission(o.id); err != nil {
		return console.Usage("--id: %w", err)
	}
	dir, err := keys.Home()
	if err != nil {
		return err
	}
	store := mission.In(dir)
	known, err := store.Read(o.id)
	begun := err == nil
	switch {
	case err != nil && !errors.Is(err, mission.ErrNone):
		return err
	case begun && known.Steps[0].Workspace != "" && known.Steps[0].Workspace != cur.ID():
		return console.Refused("run this command in the mission's workspace, or choose another id", "the mission %s is of another workspace", o.id)
	case begun && text != "" && known.Phase() == mission.Over:
		return console.Refused("choose another --id; assent mission show "+names.ShellWord(o.id), "the mission %s has ended", o.id)
	case begun && text != "":
		return console.Refused("assent mission run --id "+names.ShellWord(o.id)+" goes on with it", "the mission %s was begun before", o.id)
	case !begun && text == "":
		return console.Usage("there is no mission %s; name it to begin it", o.id)
	case begun && o.agent == "":
		o.agent = known.Steps[0].Agent
	}
	if o.line = cmp.Or(strings.TrimSpace(o.line), known.Command); o.line == "" {
		return console.Usage("--command LINE is missing: the command line of the agent, such as --command %q", "claude -p")
	}
	if err := programFound(ctx, o.line); err != nil {
		return err
	}
	if o.agent == "" {
		return console.Usage("say who does the mission: --agent NAME, or $ASSENT_AGENT")
	}
	if _, ok := cur.Policies.Roles.ByName(o.agent); !ok {
		return console.Usage("policies/roles.yaml has no %q: name an agent with --agent", console.OneLine(o.agent))
	}
	r, watch := missionRunner(c, cur, o, agents)
	if begun && o.dryRun {
		if _, over := known.Ended(); over {
			return missionEnded(c, known, nil)
		}
	}
	if r.Store = store; o.dryRun {
		return foresee(ctx, c, r, cmp.Or(text, textOf(known)))
	}
	if !begun {
		err := r.Begin(ctx, o.id, text, func() (string, error) {
			folder, err := o.folder(ctx, c, store)
			if err == nil {
				c.Progress("mission %s, in %s", o.id, folder)
			}
			return folder, err
		})
		if err != nil {
			return err
		}
	}
	if begun && len(known.WaitsFor()) > 0 {
		c.Progress("the mission %s waits for %s", o.id, waited(known))
	}
	stop := watch.start()
	state, err := r.Continue(ctx, o.id)
	stop()
	return missionEnded(c, state, err)
}

func textOf(s mission.State) string {
	if len(s.Steps) == 0 {
		return ""
	}
	return s.Steps[0].Text
}

func missionRunner(c *console.Console, cur workspace.Session, o missionRunOptions, agents Agents) (*mission.Runner, *missionWatch) {
	watch := &missionWatch{c: c, region: console.Live(c), said: map[string]string{}}
	beside := *c // passes change c
	watch.agent = agents(&beside, o.agent, o.id)
	return &mission.Runner{
		Agent: watch.agent, Line: o.line, Rounds: o.rounds, Timeout: o.timeout, Wait: o.wait, Poll: o.poll, Root: cur.Repo.Root(), Workspace: cur.ID(), Now: c.World.Now,
		Env:  []string{"ASSENT_AGENT=" + o.agent, "ASSENT_MISSION=" + o.id, "ASSENT_SESSION=" + o.id},
		Pass: passWithOrigin(&beside, cur.Workspace),
		Say: func(s mission.Step) {
			watch.clear()
			sayStep(c, s)
		},
		Watch: watch.show,
	}, watch
}

// passWithOrigin returns a Pass for a waiting mission. With a remote but no service it pulls before and pushes after.
// A failed pass is then reported once and retried, because the remote may be down for a while.
func passWithOrigin(c *console.Console, w *workspace.Workspace) func(context.Context) error {
	var o serve.Options
	if console.HasRemote(w) && !w.Forge.Traits().Agreed {
		o.Remote = console.DefaultRemote
	}
	said := ""
	return func(ctx context.Context) error {
		one := *c
		_, err := makePass(ctx, &one, o)
		switch {
		case err == nil:
			said = ""
		case o.Remote == "" || ctx.Err() != nil:
			return err
		case err.Error() != said:
			said = err.Error()
			f := console.Classify(console.ExchangeFailed(err))
			c.Complain("%s %s; retrying", c.Style.Warn("the pass with "+o.Remote+" failed:"), console.OneLine(console.Sentence(f)))
			if f.Hint != "" {
				c.Complain("%s %s", c.Style.Dim("hint:"), console.OneLine(f.Hint))
			}
		}
		return nil
	}
}

// folder makes the folder of a new mission.
func (o missionRunOptions) folder(ctx context.Context, c *console.Console, store mission.Store) (string, error) {
	if o.in != "" {
		dir, err := filepath.Abs(o.in)
		if err != nil {
			return "", fmt.Errorf("find --in %s: %w", o.in, err)
		}
		return dir, nil
	}
	tree := store.Files.Path(o.id + "/tree")
	_, err := os.Stat(tree)
	left := err == nil // by a kill, before the mission was recorded
	if err := os.MkdirAll(tree, 0o700); err != nil || c.Project == "" {
		return tree, err
	}
	git := func(args ...string) error {
		_, err := gitrun.Output(ctx, gitrun.Call{Dir: c.Project, Args: args}, "")
		return err
	}
	add := []string{"worktree", "add", "--quiet", "-b", "mission/" + o.id, tree}
	if left {
		_ = git("worktree", "remove", "--force", "--force", tree)
		if err := os.RemoveAll(tree); err != nil {
			return "", fmt.Errorf("make the folder of the mission again: %w", err)
		}
		if git("worktree", "prune") == nil && git("rev-parse", "--quiet", "--verify", "refs/heads/mission/"+o.id) == nil {
			add = []string{"worktree", "add", "--quiet", tree, "mission/" + o.id}
		}
	}
	if err := git(add...); err != nil {
		return "", &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("make a worktree of %s: %w", c.Project, err), Hint: "--in DIR has the command work in a folder of yours"}
	}
	return tree, nil
}

// foresee shows what the command would be told of.
func foresee(ctx context.Context, c *console.Console, r *mission.Runner, text string) error {
	r.Agent.Record = nil
	found, err := r.Agent.Suggest(ctx, text)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(console.NonNil(found))
	}
	c.Printf("would run the command with %s\n", console.Plural(len(found), "capability"))
	for _, m := range found {
		c.Printf("  %s %s\n", c.Style.Bold(m.Name), console.OneLine(m.Description))
	}
	return nil
}

// sayStep shows a step of a mission while it goes on.
func sayStep(c *console.Console, s mission.Step) {
	switch s.Kind {
	case mission.Ran:
		c.Progress("the command ran for %s%s", output.Lasted(s.MS), after(s.Reason))
	case mission.Lost:
		c.Progress("the command was interrupted after %s when assent ended; it runs again", output.Lasted(s.MS))
	case mission.Heard:
		if s.Unheard != "" {
			c.Complain("%s %s", c.Style.Warn("warning:"), s.Unheard)
		}
		if s.Tokens > 0 || s.Cost > 0 {
			c.Progress("it used %s", output.Used(s.Tokens, s.Cost, false))
		}
		for _, g := range s.Gaps {
			c.Progress("it lacked %s (%s): %s", g.Name, g.Type, g.Answer.Sentence())
		}
		if len(s.LeftOut) > 0 {
			c.Progress("a mission asks for at most %d; left out: %s", mission.MaxAsked, console.OneLine(strings.Join(s.LeftOut, ", ")))
		}
	case mission.Asked:
		c.Progress("waiting for %s; see assent runs", waited(mission.State{Steps: []mission.Step{s}}))
	case mission.Ended:
		for _, id := range s.Runs {
			c.Progress("%s", output.LeftRun(id, s.Outcome))
		}
	case mission.Ready:
		c.Progress("in force: %s; the command runs again", strings.Join(s.Ready, ", "))
	}
}

// missionJSON is a mission with what it used.
type missionJSON struct {
	mission.State
	Phase mission.Phase `json:"state"`
	// Resume is the command that goes on with it.
	Resume string        `json:"resume,omitempty"`
	Spent  mission.Spent `json:"spent"`
}

// missionEnded shows a mission that has ended, or says how to go on with one that has not.
func missionEnded(c *console.Console, s mission.State, err error) error {
	resume := ""
	if len(s.Steps) > 0 {
		resume = s.Resume()
	}
	switch {
	case errors.Is(err, mission.ErrBusy):
		return console.Refused("wait until it ends, or end it", "%w", err)
	case errors.Is(err, context.Canceled) && resume != "":
		return &console.Failure{Code: console.ExitWorld, Err: fmt.Errorf("the mission %s was %w", s.ID, console.ErrInterrupted), Hint: "go on with it: " + resume}
	case err != nil && !errors.Is(err, mission.ErrWaits):
		if resume != "" {
			c.Progress("the mission %s is kept; go on with it: %s", s.ID, resume)
		}
		return err
	}
	if c.JSON {
		if shown := c.Emit(missionJSON{s, s.Phase(), resume, s.Spent()}); shown != nil {
			return shown
		}
	}
	end, _ := s.Ended()
	switch {
	case err != nil && c.JSON:
		return console.Quiet(console.ExitRefused)
	case err != nil && s.Stalled() != "":
		return console.Refused(s.Repair(), "the mission %s waits in vain: %s", s.ID, s.Stalled())
	case err != nil:
		return console.Refused("when it is: "+resume, "the mission %s waits for %s: %w", s.ID, waited(s), err)
	case !c.JSON && end.Outcome == trial.Success:
		c.Printf("%s the mission %s, in %s\n", c.Style.Good("success:"), c.Style.Bold(s.ID), s.Steps[0].Folder)
	case !c.JSON:
		c.Printf("%s the mission %s%s\n", c.Style.Bad("failure:"), c.Style.Bold(s.ID), after(end.Reason))
	}
	if sum := s.Spent(); !c.JSON {
		line := output.SpentText("the command", sum.Own())
		if w := sum.Work; w != nil {
			line += "; to build what it lacked: " + output.SpentText(output.AgentsCommands, *w)
		}
		c.Printf("%s\n", line)
	}
	if end.Outcome != trial.Success {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}

func waited(s mission.State) string {
	out := s.WaitsFor()
	if last := s.Steps[len(s.Steps)-1]; last.Kind == mission.Asked && last.Reason != "" {
		out = append(out, "a place for "+strings.Join(last.Unasked, ", ")+" ("+last.Reason+")")
	}
	return cmp.Or(strings.Join(out, ", "), "what is open")
}
