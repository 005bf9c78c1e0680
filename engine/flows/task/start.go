package task

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Workflows returns the workflows in force, without those that this version cannot run.
// Findings about their files were reported when they were proposed.
func Workflows(cur workspace.Session) ([]workflow.Workflow, error) {
	all, _, err := workflow.Load(cur.View, workspace.Schedule)
	if err != nil {
		return nil, fmt.Errorf("read the workflows: %w", err)
	}
	return all, nil
}

// Broken returns the findings about the file of a workflow in force that cannot be run.
func Broken(cur workspace.Session, name string) (diag.List, error) {
	_, ds, err := workflow.Load(cur.View, workspace.Schedule)
	return slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.File != workflow.Dir+"/"+name+".yaml" }), err
}

// Beginning is the start of a run.
type Beginning struct {
	Workflow workflow.Workflow
	// Commit defines the workflow; Start takes the commit in force if it is zero.
	Commit tree.Hash
	Event  string
	// By starts the run, For requested it.
	By, For string
	Inputs  map[string]string
	// Category is that of run.Start; Start finds it if it is empty.
	Category string
	// About is the proposal that the event is about. Key distinguishes events of one name;
	// the same workflow, event and key is one run.
	About, Key string
	// Of is the run that this one repeats, Kept the jobs whose results it takes over.
	Of   string
	Kept map[string]run.Job
	// Proposal is the one of that run with which this one goes on, Leaves the one that it leaves open.
	Proposal, Leaves string
	DryRun           bool
}

// Open says that a run about the same subject is active.
type Open struct{ ID, Subject string }

// Error names the run and its subject.
func (o *Open) Error() string {
	return fmt.Sprintf("%s is already running, about %s", o.ID, o.Subject)
}

// Full says that an identity has as many active runs as it may have open proposals.
type Full struct {
	By     string
	Limit  int
	Oldest string // the run of it that began first
}

// Error names the identity and the limit.
func (f *Full) Error() string {
	if f.Limit == 1 {
		return f.By + " has 1 active run, which is the limit of open proposals"
	}
	return fmt.Sprintf("%s has %d active runs, which is the limit of open proposals", f.By, f.Limit)
}

// Start begins a run by hand or for a gap. A workflow has one run at a time about one
// capability, whatever the endings of the name's words, for all requesters. Otherwise the error is *Open, also for two concurrent
// processes. With a dry run only the inputs are checked. While gaps.yaml switches acquisition off, a gap begins
// nothing, nor does the repetition of a run for one: ErrOff.
func Start(ctx context.Context, cur workspace.Session, b Beginning) (run.State, diag.List, error) {
	if b.Event == workflow.Gap && cur.Policies.Gaps.Off {
		return run.State{}, nil, ErrOff
	}
	inputs, diags := Fill(b.Workflow, b.Inputs)
	if diags.HasErrors() {
		return run.State{}, diags, nil
	}
	if b.Inputs = inputs; b.Commit.IsZero() {
		b.Commit = cur.InForce
	}
	subject, mine := b.Inputs["capability"], 0
	if subject != "" && b.Category == "" {
		there, err := inForce(cur, subject)
		if err != nil {
			return run.State{}, nil, err
		}
		if there.Path != "" {
			b.Category = cmp.Or(there.Group, ".")
		}
	}
	// The number comes before the list of runs: a run that another process begins in between is in the list, and one
	// that it begins later takes this number.
	key, err := unused(cur.Workspace, b, cmp.Or(b.Of, subject))
	if err != nil {
		return run.State{}, nil, err
	}
	var oldest run.State
	active, _, err := cur.Runs.Active()
	if err != nil {
		return run.State{}, nil, err
	}
	// Anyone who can push can write journals of runs in an agent's name. If nothing was opened
	// here, or the list of openings cannot be read, all of them count.
	here, unread := keys.LoadOpenings(cur.ID())
	for _, s := range active {
		_, own := here[s.ID]
		//defence:forged-runs-hold-nothing-up
		own = own || here == nil || unread != nil
		if s.For == b.For && b.For != "" && own {
			if mine++; mine == 1 || s.Began.Before(oldest.Began) {
				oldest = s
			}
		}
		if subject != "" && s.Workflow == b.Workflow.Name && s.About == "" && index.SameName(s.Inputs["capability"], subject) {
			return s, nil, &Open{ID: s.ID, Subject: s.Inputs["capability"]}
		}
	}
	if limit := cur.Policies.Limits.OpenPerAgent; limit > 0 && mine >= limit && !human(cur, b.For) {
		return run.State{}, nil, &Full{b.For, limit, oldest.ID}
	}
	for {
		if b.Key = key; b.DryRun {
			return run.State{ID: ID(b), Start: b.start()}, nil, nil
		}
		s, began, err := Begin(ctx, cur.Workspace, b)
		switch {
		case err != nil:
			return s, nil, err
		case began:
			_ = keys.SaveOpening(ctx, cur.ID(), keys.Opening{ID: s.ID, By: b.For}) // an opening that is not remembered does not count
			s, err = b.keep(ctx, cur, s)
			return s, nil, err
		case subject != "" || b.Proposal != "":
			return s, nil, &Open{ID: s.ID, Subject: cmp.Or(subject, b.Proposal)}
		}
		if key, err = unused(cur.Workspace, b, b.Of); err != nil { // another process took the number
			return run.State{}, nil, err
		}
	}
}

// unused numbers the runs of one workflow and subject: it is the key of the next one.
func unused(w *workspace.Workspace, b Beginning, subject string) (string, error) {
	if b.Proposal != "" {
		return b.onceKey(), nil
	}
	for earlier := 0; ; earlier++ {
		b.Key = repeatKey(subject, earlier)
		if there, err := w.Runs.Has(ID(b)); err != nil || !there {
			return b.Key, err
		}
	}
}

func repeatKey(subject string, earlier int) string { return subject + "\x00" + strconv.Itoa(earlier) }

func human(cur workspace.Session, name string) bool {
	id, ok := cur.Policies.Roles.ByName(name)
	return ok && id.Kind == policy.KindHuman
}

// Begin starts the run of an event, once: began is false if it was started before.
func Begin(ctx context.Context, w *workspace.Workspace, b Beginning) (s run.State, began bool, err error) {
	return w.Runs.Begin(ctx, ID(b), b.By, w.Now(), b.start())
}

func (b Beginning) start() run.Start {
	s := run.Start{
		Workflow: b.Workflow.Name, Definition: b.Workflow.Digest, Event: b.Event, For: b.For, Inputs: b.Inputs, Category: b.Category, About: b.About, Of: b.Of, Group: groupOf(b),
	}
	if !b.Commit.IsZero() {
		s.Commit = b.Commit.String()
	}
	return s
}

// ID returns the id of an event's run. It depends on the event alone, so all processes that
// see the event start one run.
func ID(b Beginning) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{b.Workflow.Name, b.Event, b.About, b.Key}, "\x00")))
	head := b.Inputs["capability"]
	if head == "" {
		head = b.Workflow.Name
	}
	return names.NewProposalID(head, [5]byte(sum[:5]))
}

// published are the inputs that a run's proposal repeats, or that agents write for others to read.
var published = []string{"capability", "goal", "missing", "reason", "api_hint"}

// Fill checks the inputs of a run and adds the workflow's defaults.
func Fill(w workflow.Workflow, given map[string]string) (map[string]string, diag.List) {
	var ds diag.List
	out := map[string]string{}
	known := func(name string) (workflow.Input, bool) {
		i := slices.IndexFunc(w.Inputs, func(in workflow.Input) bool { return in.Name == name })
		if i < 0 {
			return workflow.Input{}, false
		}
		return w.Inputs[i], true
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		in, ok := known(name)
		text := strings.TrimSpace(given[name])
		switch {
		case !ok:
			ds.Errorf(workflow.RuleInput, diag.Pos{File: w.Path}, "the inputs are "+list(w), "workflow %s has no input %q", w.Name, provenance.Line(name))
		case text == "": // an empty text counts as not given
		case trial.Masked(text) != text && slices.Contains(published, name):
			ds.Errorf(workflow.RuleInput, in.Pos, "leave the secret out: a run is published, and its proposal would be refused", "input %s holds what looks like a secret: %s", name, excerpt(trial.Masked(text)))
		case in.Fault(text) != "":
			ds.Errorf(workflow.RuleInput, in.Pos, "give another", "input %s: %q %s", name, excerpt(text), in.Fault(text))
		default:
			out[name] = text
		}
	}
	for _, in := range w.Inputs {
		if out[in.Name] != "" {
			continue
		}
		if in.Required && strings.TrimSpace(given[in.Name]) == "" { // a wrong value was reported above
			ds.Errorf(workflow.RuleInput, in.Pos, "give it with --input "+in.Name+"=…", "workflow %s needs the input %s", w.Name, in.Name)
		}
		if in.Default != "" {
			out[in.Name] = in.Default
		}
	}
	return out, ds
}

func list(w workflow.Workflow) string {
	var out []string
	for _, in := range w.Inputs {
		out = append(out, in.Name)
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func excerpt(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
