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
	flow, ds, err := workflowIn(ctx, c, inDir(c.Dir, file), file)
	if err != nil {
		return err
	}
	report, what := console.UsageFindings, "the workflow does not take these inputs"
	if ds.HasErrors() {
		report, what = console.Findings, "the workflow cannot be used"
	}
	o := task.Occasion{Event: firstEvent(flow.On)}
	if event != "" {
		faults, err := readOccasion(ctx, c, inDir(c.Dir, event), event, flow, ds.HasErrors(), &o)
		if err != nil {
			return err
		}
		ds.Add(faults...)
	}
	if o.Inputs == nil {
		o.Inputs = map[string]string{}
	}
	maps.Copy(o.Inputs, given)
	if ds.HasErrors() { // what else is wrong is said at once
		_, faults := task.Fill(flow, o.Inputs)
		ds.Add(faults...)
		return report(what, ds)
	}
	if o.Policies, err = policiesBeside(ctx, c, inDir(c.Dir, file)); err != nil {
		return err
	}
	if o.Policies == nil {
		c.Complain("%s ../policies beside %s cannot be read: who approves, and which hosts are admitted, is not judged; test it in a workspace", c.Style.Warn("note:"), console.OneLine(file))
	}
	out, ds := task.Rehearse(flow, o, c.World.Now())
	if ds.HasErrors() {
		return report(what, ds)
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

// workflowIn reads one workflow as far as possible, with the templates beside it. The findings are about it.
func workflowIn(ctx context.Context, c *console.Console, path, name string) (workflow.Workflow, diag.List, error) {
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
			return workflow.Workflow{}, nil, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("%w; %w", missing, outside), Hint: "go into the workspace, or name its folder with -C"}
		}
		return workflow.Workflow{}, nil, missing
	} else if filepath.Ext(path) != ".yaml" {
		return workflow.Workflow{}, nil, console.Usage("%s: want a workflow's file, such as workflows/gc.yaml", name)
	} else if err != nil {
		return workflow.Workflow{}, nil, console.Unread("the workflow", err)
	}
	templates, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "templates", "*.md")) // the pattern is sound
	for _, t := range templates {
		if err := add(workflow.TemplateDir+"/"+filepath.Base(t), t); err != nil {
			return workflow.Workflow{}, nil, console.Unread("a template", err)
		}
	}
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.yaml")) // workflows that it may call
	for _, other := range beside {
		if to := workflow.Dir + "/" + filepath.Base(other); to != at {
			if err := add(to, other); err != nil {
				return workflow.Workflow{}, nil, console.Unread("a workflow", err)
			}
		}
	}
	return workflow.Read(tree.MapOf(files), workspace.Schedule, at)
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

// readOccasion reads an event strictly: a misspelt job or outcome would otherwise be passed over. The findings are about
// the event. The facts of jobs are not checked if the workflow has errors.
func readOccasion(ctx context.Context, c *console.Console, path, name string, flow workflow.Workflow, broken bool, o *task.Occasion) (diag.List, error) {
	var ds diag.List
	wrong := func(fix, format string, args ...any) {
		ds.Errorf(workflow.RuleInput, diag.Pos{File: name}, fix, format, args...)
	}
	data, err := console.ReadFile(ctx, c, path, console.MaxFile)
	if err != nil {
		return nil, console.Unread("the event", err)
	}
	if why := decodeOccasion(data, o); why != "" {
		wrong(`write one JSON object such as {"event": "proposal.opened", "inputs": {}}; assent workflow test --help shows all keys`, "it is no event: %s", why)
		if o.Event == "" { // nothing of it could be read
			return ds, nil
		}
	}
	if !slices.Contains(workflow.Events(), o.Event) {
		wrong("the events are "+strings.Join(workflow.Events(), ", "), "there is no event %q", o.Event)
	}
	for _, job := range slices.Sorted(maps.Keys(o.Jobs)) {
		given := o.Jobs[job]
		j, known := flow.Job(job)
		if !known {
			wrong(jobsFor(flow, job), "the workflow %s has no single job %q", flow.Name, job)
		}
		if !slices.Contains([]string{"", "success", "failure"}, given.Outcome) {
			wrong("write success or failure", "the outcome of %s is %q", job, given.Outcome)
		}
		if why := outputsFault(j, given.Outputs); known && !broken && why != "" {
			wrong("give what the job declares under outputs", "the outputs of %s: %s", job, why)
		}
	}
	return ds, nil
}

// decodeOccasion says why a file holds no event, "" if it holds one.
func decodeOccasion(data []byte, o *task.Occasion) string {
	*o = task.Occasion{}
	if len(bytes.TrimSpace(data)) == 0 {
		return "it is empty"
	}
	if twice, err := run.EachOnce(data); err != nil {
		return err.Error()
	} else if twice != "" {
		return fmt.Sprintf("the key %q occurs twice", twice)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(o)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return cmp.Or(wrong.Field, "it") + " cannot be a value of type " + wrong.Value
	case err != nil:
		return strings.TrimPrefix(err.Error(), "json: ")
	}
	return ""
}

// jobsFor names the jobs that can be named instead of one. A job with a matrix or a call stands for several jobs.
func jobsFor(flow workflow.Workflow, job string) string {
	var all, of []string
	for _, j := range flow.Jobs {
		if all = append(all, j.Name); j.Of == job {
			of = append(of, j.Name)
		}
	}
	if len(of) > 0 {
		return job + " stands for several jobs: name " + strings.Join(of, ", ")
	}
	return "its jobs are " + strings.Join(all, ", ")
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
