package judging

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func newWorkflow(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workflow",
		Short: "Try a workflow before it is proposed",
	}
	cmd.AddCommand(newWorkflowTest(c))
	return cmd
}

func newWorkflowTest(c *console.Console) *cobra.Command {
	var event string
	var inputs []string
	cmd := &cobra.Command{
		Use:   "test FILE",
		Short: "Show what a workflow would do on an event, and run nothing",
		Long: `Test reads one workflow and an event, and shows the jobs in the order in which they
would begin: which would run, be skipped or fail, and why, with the value of each
condition. Nothing runs, and nothing is written. Templates of tasks are read from
templates/ beside FILE, and the hosts that scripts may reach from ../policies.

The event is a JSON file. Without --event it is the first one under on. --input adds to its inputs.

  {"event": "proposal.opened", "proposal": "parse-csv-k3v9q2mt", "inputs": {"word": "tbd"},
   "jobs": {"look": {"outcome": "failure"},
            "build": {"result": {"confidence": 0.5, "compiles": true}},
            "check": {"report": {"passed": true, "risk": "low"}},
            "count": {"outputs": {"lines": 2}}}}

It ends with 1 if the event does not start the workflow, or the run would fail.`,
		Example: `  assent workflow test workflows/spelling.yaml
  assent workflow test workflows/acquire.yaml --input capability=ocr --input goal="read scans"
  assent workflow test workflows/acquire.yaml --event gap.json --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWorkflowTest(cmd.Context(), c, args[0], event, inputs)
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the event, as a JSON `FILE`")
	console.InputFlag(cmd, &inputs)
	return cmd
}

func runWorkflowTest(ctx context.Context, c *console.Console, file, event string, inputs []string) error {
	given, err := console.Inputs(inputs)
	if err != nil {
		return err
	}
	flow, err := workflowIn(ctx, c, inDir(c.Dir, file), file)
	if err != nil {
		return err
	}
	o := task.Occasion{Event: firstEvent(flow.On)}
	if event != "" {
		if o, err = occasionIn(ctx, c, inDir(c.Dir, event), event, flow); err != nil {
			return err
		}
	}
	if o.Inputs == nil {
		o.Inputs = map[string]string{}
	}
	maps.Copy(o.Inputs, given)
	if o.Policies, err = policiesBeside(ctx, c, inDir(c.Dir, file)); err != nil {
		return err
	}
	if o.Policies == nil {
		c.Complain("%s ../policies beside %s cannot be read: who approves, and which hosts are admitted, is not judged; test it in a workspace", c.Style.Warn("note:"), console.OneLine(file))
	}
	out, ds := task.Rehearse(flow, o, c.World.Now())
	if ds.HasErrors() {
		return console.UsageFindings("the workflow does not take these inputs", ds)
	}
	if c.JSON {
		err = c.Emit(out)
	} else {
		printRehearsal(c, out, o)
	}
	if err == nil && out.Outcome != run.Completed {
		return console.Quiet(console.ExitFindings)
	}
	return err
}

// inDir returns a path of the command line as seen from -C.
func inDir(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// workflowIn reads one workflow, with the templates beside it.
func workflowIn(ctx context.Context, c *console.Console, path, name string) (workflow.Workflow, error) {
	files := map[string]string{}
	add := func(to, from string) error {
		data, err := console.ReadFile(ctx, c, from, console.MaxFile)
		files[to] = string(data)
		return err
	}
	at := workflow.Dir + "/" + filepath.Base(path)
	if err := add(at, path); errors.Is(err, fs.ErrNotExist) {
		missing := console.Usage("%s: there is no such file; want a workflow's, such as workflows/gc.yaml", name)
		if _, outside := c.Open(); outside != nil {
			return workflow.Workflow{}, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%w; %w", missing, outside), Hint: "go into the workspace, or name its folder with -C"}
		}
		return workflow.Workflow{}, missing
	} else if filepath.Ext(path) != ".yaml" {
		return workflow.Workflow{}, console.Usage("%s: want a workflow's file, such as workflows/gc.yaml", name)
	} else if err != nil {
		return workflow.Workflow{}, console.Unread("the workflow", err)
	}
	templates, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "templates", "*.md")) // the pattern is sound
	for _, t := range templates {
		if err := add(workflow.TemplateDir+"/"+filepath.Base(t), t); err != nil {
			return workflow.Workflow{}, console.Unread("a template", err)
		}
	}
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.yaml")) // workflows that it may call
	for _, other := range beside {
		if to := workflow.Dir + "/" + filepath.Base(other); to != at {
			if err := add(to, other); err != nil {
				return workflow.Workflow{}, console.Unread("a workflow", err)
			}
		}
	}
	all, ds, err := workflow.Load(tree.MapOf(files), workspace.Schedule, at)
	if err != nil {
		return workflow.Workflow{}, err
	}
	for _, f := range all {
		if f.Path == at {
			return f, nil
		}
	}
	ds = slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { // of other workflows
		return d.Pos.File != at && filepath.Ext(d.Pos.File) == ".yaml"
	})
	return workflow.Workflow{}, console.Findings("the workflow cannot be used", ds)
}

// policiesBeside reads the policies of the folder that holds a workflow's folder; nil if it has none
// that can be read.
func policiesBeside(ctx context.Context, c *console.Console, path string) (*policy.Policies, error) {
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "..", "policies", "*.yaml")) // the pattern is sound
	files := map[string]string{}
	for _, name := range found {
		data, err := console.ReadFile(ctx, c, name, console.MaxFile)
		if err != nil {
			return nil, console.Unread("a policy", err)
		}
		files["policies/"+filepath.Base(name)] = string(data)
	}
	p, ds := policy.Load(tree.MapOf(files))
	if len(files) == 0 || ds.HasErrors() {
		return nil, nil
	}
	return &p, nil
}

func firstEvent(on workflow.Triggers) string {
	switch {
	case len(on.Proposal) > 0:
		return on.Proposal[0]
	case on.Gap:
		return workflow.Gap
	case on.Schedule != "":
		return workflow.Schedule
	}
	return workflow.Command
}

// occasionIn reads an event strictly: a misspelt job or outcome would otherwise be passed over.
func occasionIn(ctx context.Context, c *console.Console, path, name string, flow workflow.Workflow) (task.Occasion, error) {
	var o task.Occasion
	data, err := console.ReadFile(ctx, c, path, console.MaxFile)
	if err != nil {
		return o, console.Unread("the event", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return o, notEvent(name, "it is empty")
	}
	if twice, err := run.EachOnce(data); err != nil {
		return o, notEvent(name, err.Error())
	} else if twice != "" {
		return o, notEvent(name, fmt.Sprintf("the key %q occurs twice", twice))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err = d.Decode(&o)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return o, notEvent(name, cmp.Or(wrong.Field, "it")+" cannot be a value of type "+wrong.Value)
	case err != nil:
		return o, notEvent(name, strings.TrimPrefix(err.Error(), "json: "))
	}
	if !slices.Contains(workflow.Events(), o.Event) {
		return o, console.Usage("%s: there is no event %q: the events are %s", name, o.Event, strings.Join(workflow.Events(), ", "))
	}
	for job, given := range o.Jobs {
		j, known := flow.Job(job)
		if !known {
			return o, noJob(name, flow, job)
		}
		if !slices.Contains([]string{"", "success", "failure"}, given.Outcome) {
			return o, console.Usage("%s: the outcome of %s is success or failure, not %q", name, job, given.Outcome)
		}
		if why := outputsFault(j, given.Outputs); why != "" {
			return o, console.Usage("%s: the outputs of %s: %s", name, job, why)
		}
	}
	return o, nil
}

// noJob refuses the name of a job: of one with a matrix or a call, each job in its place has its own.
func noJob(name string, flow workflow.Workflow, job string) error {
	var all, of []string
	for _, j := range flow.Jobs {
		if all = append(all, j.Name); j.Of == job {
			of = append(of, j.Name)
		}
	}
	if len(of) > 0 {
		return console.Usage("%s: %s stands for several jobs of the workflow %s: name %s", name, job, flow.Name, strings.Join(of, ", "))
	}
	return console.Usage("%s: the workflow %s has no job %q; its jobs are %s", name, flow.Name, job, strings.Join(all, ", "))
}

// notEvent refuses a file that holds no event.
func notEvent(name, why string) error {
	return &console.Failure{
		Code: console.ExitUsage, Err: fmt.Errorf("%s is no event: %s", name, why),
		Hint: `write one JSON object such as {"event": "proposal.opened", "inputs": {}}; assent workflow test --help shows all keys`,
	}
}

// outputsFault says why a job cannot have these outputs, "" if it can.
func outputsFault(j workflow.Job, values map[string]any) string {
	switch {
	case len(values) == 0:
		return ""
	case j.Script == nil || len(j.Script.Outputs) == 0:
		return "it declares none"
	}
	line, err := json.Marshal(values)
	if err != nil {
		return err.Error()
	}
	_, why := run.ReadOutputs(j.Script.Outputs, string(line))
	return why
}

func printRehearsal(c *console.Console, out task.Rehearsal, o task.Occasion) {
	if !out.Starts {
		c.Printf("%s %s: %s\n", c.Style.Bold(console.OneLine(out.Workflow)), c.Style.Warn("does not start"), "it does not wait for "+o.Event)
		return
	}
	head := "would start on " + o.Event
	if out.Direct {
		head = "would act on " + o.Event + ", on everything that waits for it, without a run"
	}
	c.Printf("%s %s\n", c.Style.Bold(console.OneLine(out.Workflow)), console.OneLine(head))
	for i, j := range out.Jobs {
		what := j.Does
		if j.Role != "" {
			what += " for " + j.Role
		}
		would := map[string]string{"run": c.Style.Good("runs"), "skip": c.Style.Dim("is skipped"), "fail": c.Style.Bad("fails"), "never": c.Style.Dim("never begins")}[j.Would]
		c.Printf("%d. %s (%s) %s\n", i+1, console.OneLine(j.Name), console.OneLine(what), would)
		c.Optional("needs", console.OneLine(strings.Join(j.Needs, ", ")))
		for _, k := range j.Conditions {
			value := fmt.Sprint(k.Holds)
			if k.Assumed {
				value = "assumed: the event states no result"
			}
			if k.Error != "" {
				value = "no value: " + k.Error
			}
			c.Field(k.Field, console.OneLine(k.Text+" is "+value))
		}
		if j.Would != "run" {
			because := console.OneLine(j.Reason)
			if j.Would == "fail" {
				because += "  [" + console.OneLine(j.Where) + "]"
			}
			c.Optional("because", because)
		}
	}
	if out.Outcome != "" {
		c.Printf("nothing was run; a run that goes like this %s%s\n", out.Outcome.Phrase(), console.OneLine(strings.TrimSuffix(": "+out.Reason, ": ")))
	}
}
