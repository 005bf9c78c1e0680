package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/flows/work"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

type workOptions struct {
	taskOptions
	role, line      string
	once            bool
	parallel, tries int
	poll            time.Duration
}

func newWork(c *console.Console) *cobra.Command {
	var o workOptions
	cmd := &cobra.Command{
		Use:   "work --command LINE",
		Short: "Have an agent's command do the tasks that wait for it",
		Long: `Work takes one task after the other, as assent task next does, and runs a command line for
each in the shell, in a new folder with the workspace's files. The command reads the task on standard
input and in .task/task.md, changes files, and writes its answers to .task/result.json. When it
ends, the changed files that the task takes are handed in with the result, as assent task done
does. If they are refused, the command is run again in the same folder, and reads why.

The command runs as you, outside the sandbox. Its output is kept for a week, in the file that is
named when a task fails.

A task that failed is handed back, while it has attempts left: it is not taken again with --once, and
otherwise after --poll, so that another agent can have it.

With a remote, the steps of a task go there, too, and what others did is taken in first; --local keeps
them in this clone until assent push.

With --once it ends when nothing else waits: with 1 if a task failed, with 5 if nothing waited at all.
Otherwise it looks every --poll, until SIGTERM or Ctrl-C; it ends with 1 when three tasks failed
in a row. Those that it does beside them are done to the end.`,
		Example: `  assent work --role developer --agent smith --command "claude -p --permission-mode acceptEdits"
  assent work --agent scout --once --command "codex exec --skip-git-repo-check --sandbox workspace-write -"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWork(cmd.Context(), c, o) },
	}
	o.flags(c, cmd)
	localFlag(cmd, c)
	f := cmd.Flags()
	f.StringVar(&o.role, "role", "", "do tasks for this `ROLE` only (default: all roles of --agent)")
	f.StringVar(&o.line, "command", "", "the command `LINE` of the agent (required)")
	f.BoolVar(&o.once, "once", false, "end when nothing waits")
	f.IntVar(&o.parallel, "parallel", 1, "do at most `N` tasks at the same time")
	f.IntVar(&o.tries, "tries", 3, "run the command at most `N` times for one attempt of a task")
	f.DurationVar(&o.poll, "poll", 30*time.Second, "look this often whether a task waits")
	f.BoolVar(&o.dryRun, "dry-run", false, "list the tasks that would be done, and take none")
	complete.Flag(cmd, "role", complete.Fixed(policy.KnownRoles()))
	return cmd
}

// check refuses options that mean nothing.
func (o workOptions) check() error {
	switch {
	case strings.TrimSpace(o.line) == "":
		return console.Usage("--command LINE is missing: the command line that does a task, such as --command %q", "claude -p")
	case o.parallel < 1 || o.parallel > 64:
		return console.Usage("--parallel %d: it is 1 to 64", o.parallel)
	case o.tries < 1 || o.tries > 10:
		return console.Usage("--tries %d: it is 1 to 10", o.tries)
	case o.poll < time.Second:
		return console.Usage("--poll %s is too short: 1s at least", o.poll)
	case o.role != "" && !slices.Contains(policy.KnownRoles(), o.role):
		return console.Usage("--role %s: the roles are %s", console.OneLine(o.role), strings.Join(policy.KnownRoles(), ", "))
	}
	return nil
}

// programFound refuses a command line whose program the shell does not find: it would use up an attempt of a task. A
// path relative to the task's folder is not checked.
func programFound(ctx context.Context, line string) error {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-/"
	word := strings.Fields(line)[0]
	if runtime.GOOS == "windows" || strings.Trim(word, plain) != "" || strings.Index(word, "/") > 0 {
		return nil
	}
	why, err := work.Command{Line: "command -v " + word, Out: io.Discard, Err: io.Discard}.Run(ctx)
	if err == nil && why != "" {
		err = console.Usage("--command: the shell finds no program %s", word)
	}
	return err
}

func runWork(ctx context.Context, c *console.Console, o workOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := programFound(ctx, o.line); err != nil {
		return err
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	name, roles, err := taker(c, cur, orRole(o.agent, o.role))
	if err != nil {
		return err
	}
	if o.role != "" {
		if !slices.Contains(roles, o.role) {
			return console.Refused("have a proposal give it the role: assent roles add "+names.ShellWord(name)+" --role "+names.ShellWord(o.role), "%s does not have the role %s", name, o.role)
		}
		roles = []string{o.role}
	}
	if o.dryRun {
		return printCandidates(ctx, c, cur, name, roles)
	}
	beside := *c // passes change c while workers open their workspaces
	asking := *c // and sharing changes this one
	var sharing sync.Mutex
	l := &workLoop{c: c, o: o, back: map[string]time.Time{}, worker: work.Worker{
		Open: beside.Again, Name: name, Roles: roles, Line: o.line, Tries: o.tries,
		Usage: usage,
		Share: func(ctx context.Context, w *workspace.Workspace) (*workspace.Workspace, error) {
			sharing.Lock() // pulls of one clone side by side would wait for each other in git
			defer sharing.Unlock()
			return onHub(ctx, &asking, w)
		},
		Brief: func(ctx context.Context, w *workspace.Workspace, t task.Task) (string, string, error) {
			return brief(ctx, beside, w, t, name)
		},
	}}
	l.worker.Say, l.worker.Skip = l.say, l.skip
	return l.run(ctx)
}

// orRole is who does tasks: the name or role of --agent, else the role of --role.
func orRole(agent, role string) string {
	if agent == "" {
		return role
	}
	return agent
}

// workLoop has commands do tasks side by side.
type workLoop struct {
	c      *console.Console
	o      workOptions
	worker work.Worker

	mu          sync.Mutex
	did, failed int
	row         int                  // tasks that failed since the last one that did not
	full        bool                 // so many failed in a row that no other is taken
	back        map[string]time.Time // tasks that were handed back, with the time
	stop        context.CancelFunc
	all         []workedJSON // with --once, shown at the end
	barred      error        // why a task that waits may not be taken
}

// mostInARow ends the command when so many tasks have failed one after the other: the command
// itself may be at fault, and would use up the attempts of every task.
const mostInARow = 3

func (l *workLoop) run(ctx context.Context) error {
	inside, stop := context.WithCancel(ctx)
	defer stop()
	l.stop = stop
	var all errgroup.Group
	for range l.o.parallel {
		all.Go(func() error {
			err := l.one(ctx, inside)
			if err != nil {
				stop()
			}
			return err
		})
	}
	err := all.Wait()
	if l.c.JSON && l.o.once {
		if shown := l.c.Emit(console.NonNil(l.all)); shown != nil {
			return shown
		}
	}
	switch {
	case l.full:
		return &console.Failure{Code: console.ExitFindings, Err: fmt.Errorf("%d tasks failed one after the other; no other was taken", mostInARow), Hint: "see whether the command works, then run assent work again"}
	case err != nil && !errors.Is(err, context.Canceled):
		return err
	case l.failed > 0 && l.o.once:
		return console.Quiet(console.ExitFindings)
	case l.did == 0 && l.o.once && ctx.Err() == nil && l.barred != nil:
		return &console.Failure{Code: console.ExitNothing, Err: l.barred, Hint: barredHint}
	case l.did == 0 && l.o.once && ctx.Err() == nil:
		return &console.Failure{Code: console.ExitNothing, Err: errors.New("no task waits for " + strings.Join(l.worker.Roles, ", ")), Hint: "assent runs lists what goes on"}
	case l.o.once:
		return ctx.Err()
	}
	return nil
}

// one does tasks until none waits, or until taking ends. A task that was taken is done to its end, unless ctx ends: its
// agent would hold it otherwise.
func (l *workLoop) one(ctx, taking context.Context) error {
	for taking.Err() == nil {
		r, found, err := l.worker.Next(ctx)
		switch {
		case errors.Is(err, task.ErrBarred):
			l.mu.Lock()
			l.barred = err
			l.mu.Unlock()
		case err != nil:
			return err
		}
		if found {
			l.show(r)
			continue
		}
		if l.o.once {
			return nil
		}
		select {
		case <-taking.Done():
		case <-time.After(l.o.poll):
		}
	}
	return nil
}

// skip reports whether to leave a task to others: any after too many failures; one that failed here for good with --once, else until the next poll.
func (l *workLoop) skip(t task.Task) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, failed := l.back[t.Name()]
	return l.full || failed && (l.o.once || time.Since(at) < l.o.poll)
}

func (l *workLoop) say(t task.Task, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.c.Progress("%s: %s", console.OneLine(t.Name()), console.OneLine(what))
}

// workedJSON is the JSON of a task that a command did.
type workedJSON struct {
	Task    string       `json:"task"`
	Agent   string       `json:"agent"`
	Attempt int          `json:"attempt"`
	Outcome work.Outcome `json:"outcome"`
	Reason  string       `json:"reason"`
	Tries   int          `json:"tries"`
	Files   []string     `json:"files"`
	LeftOut []string     `json:"left_out"`
	Log     string       `json:"log"`
	MS      int64        `json:"ms"`
	Spent   *run.Spent   `json:"spent"`
	Run     *workJSON    `json:"run"`
}

// usage is what the output of a command says that it used, as a client's transcript does.
func usage(in io.Reader) (int64, float64) {
	said, _ := transcript.Read(in, func(gaps.Event) {}) // what is no transcript says nothing
	return said.Tokens, said.Cost
}

// show shows how a task went, and counts it.
func (l *workLoop) show(r work.Report) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.did++
	if r.Outcome != work.Done {
		l.back[r.Task.Name()] = time.Now()
	}
	switch r.Outcome {
	case work.Failed, work.Refused:
		if l.failed, l.row = l.failed+1, l.row+1; l.row == mostInARow {
			l.full = true
			l.stop()
		}
	case work.Done:
		l.row = 0
	}
	if l.c.JSON {
		v := workedJSON{
			Task: r.Task.Name(), Agent: l.worker.Name, Attempt: r.Task.State.Attempt, Outcome: r.Outcome, Reason: r.Reason, Tries: r.Tries,
			Files: console.NonNil(r.Files), LeftOut: console.NonNil(r.LeftOut), Log: r.Log, MS: r.Took.Milliseconds(), Spent: r.Task.Spent,
		}
		if r.Advanced.ID != "" {
			after := runView(r.Advanced.State, l.c.World.Now())
			v.Run = &after
		}
		if l.o.once {
			l.all = append(l.all, v)
			return
		}
		if err := l.c.Emit(v); err != nil {
			l.stop()
		}
		return
	}
	style := map[work.Outcome]func(string) string{work.Done: l.c.Style.Good, work.Lost: l.c.Style.Warn}[r.Outcome]
	if style == nil {
		style = l.c.Style.Bad
	}
	l.c.Printf("%s %s%s  %s\n", style(string(r.Outcome)+":"), l.c.Style.Bold(console.OneLine(r.Task.Name())), after(r.Reason), l.c.Style.Dim(output.Lasted(r.Took.Milliseconds())))
	if len(r.LeftOut) > 0 {
		l.c.Field("left out", console.OneLine(fmt.Sprintf("%s that the task does not take: %s", console.Plural(len(r.LeftOut), "changed file"), strings.Join(r.LeftOut, ", "))))
	}
	if r.Outcome != work.Done && r.Log != "" {
		l.c.Field("output", r.Log)
	}
	if r.Advanced.ID != "" {
		printSteps(l.c, r.Roles, r.Advanced)
	}
}

// printCandidates lists the tasks that would be done.
func printCandidates(ctx context.Context, c *console.Console, cur workspace.Session, name string, roles []string) error {
	all, barred, err := task.Candidates(ctx, cur, name, roles)
	if err != nil {
		return err
	}
	views := []taskJSON{}
	for _, t := range all {
		views = append(views, taskView(t, name, cur.Now()))
	}
	switch {
	case c.JSON:
		return c.Emit(views)
	case len(views) == 0 && barred != nil:
		return &console.Failure{Code: console.ExitNothing, Err: barred, Hint: barredHint}
	case len(views) == 0:
		return &console.Failure{Code: console.ExitNothing, Err: errors.New("no task waits for " + strings.Join(roles, ", ")), Hint: "assent runs lists what goes on"}
	}
	for _, v := range views {
		c.Printf("would do %s for %s, attempt %d of %d\n", c.Style.Bold(console.OneLine(v.Task)), v.Role, v.Attempt, v.Attempts)
	}
	return nil
}

// brief writes a task for a command.
func brief(ctx context.Context, c console.Console, w *workspace.Workspace, t task.Task, name string) (text, data string, err error) {
	v, err := workedView(ctx, w, t, name)
	if err != nil {
		return "", "", err
	}
	v.Done, v.Fail = "write .task/result.json and end", "write why into .task/failed.md and end"
	var shown, encoded bytes.Buffer
	c.World.Out, c.JSON = &shown, false
	printTask(&c, v)
	answers := map[string]any{"v": run.ResultVersion, "outcome": "success", "confidence": 0.0}
	if len(v.Asks) > 0 {
		answers["findings"] = v.Asks
	}
	example, err := json.Marshal(answers)
	if err != nil {
		return "", "", fmt.Errorf("write a task: %w", err)
	}
	text = ansi.Strip(shown.String()) + fmt.Sprintf(`
How to hand in, as %s:
- The current folder has the files of the workspace. Write the files that the task takes there, with their paths.
- Write the result to .task/result.json. This is its form, with the questions in place of the answers:
  %s
- If the task cannot be done, write why into .task/failed.md instead.
- Then end. What you changed is handed in, and nothing else. task.json in .task has this task as JSON.
- assent -C %s reaches the workspace: find, cat and run-tool use what is in force.
`, name, example, names.ForShell(w.Repo.Root()))
	c.World.Out = &encoded
	err = c.Emit(v)
	return text, encoded.String(), err
}
