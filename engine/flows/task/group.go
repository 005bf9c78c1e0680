package task

import (
	"cmp"
	"context"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Turn is the place of a run in its concurrency group.
type Turn struct {
	// Group is the group by the run's definition, Holder the run of it that goes first; both are empty if
	// the run waits for none.
	Group, Holder string
	// Ends says why the next pass ends the holder, such as an approval that expired; only TurnOf finds out.
	Ends string
	// Replaced is the newer run that ends this one, by the group's cancel.
	Replaced string
}

// TurnOf is the turn of an active run, to show it.
func (d *Definitions) TurnOf(ctx context.Context, s run.State) (Turn, error) {
	if flow, _ := d.Recorded(s); s.Outcome != "" || flow.Concurrency.Group == "" {
		return Turn{}, nil
	}
	def, err := d.Of(ctx, s)
	if err != nil || !def.Found {
		return Turn{}, err
	}
	t, err := d.turn(ctx, def, s)
	if err != nil || t.Holder == "" {
		return t, err
	}
	holder, err := d.cur.Runs.Read(t.Holder)
	if err == nil {
		t.Ends, err = d.ending(ctx, holder)
	}
	return t, err
}

// ending says why the next pass ends a run, or fails its approval; "" if it does not.
func (d *Definitions) ending(ctx context.Context, s run.State) (string, error) {
	var pull forge.Pull
	if s.Proposal != "" && s.Outcome == "" {
		var err error
		if pull, err = d.cur.Forge.Get(ctx, s.Proposal); err != nil {
			return "", err
		}
	}
	def, next, _, err := d.Due(ctx, s, pull)
	switch r := next.Record; {
	case err != nil || r == nil:
		return "", err
	case r.Kind == run.Ended:
		return cmp.Or(r.Reason, "nothing is left to do"), nil
	case r.Kind == run.Failed:
		if j, _ := def.Job(r.Job); j.Approve != "" {
			return r.Job + " has " + r.Reason, nil
		}
	}
	return "", nil
}

// EndOverdue takes the steps of a run that the next pass ends, or fails for an approval that expired, and leaves others
// alone.
func EndOverdue(ctx context.Context, cur workspace.Session, id string) error {
	s, err := cur.Runs.Read(id)
	if err != nil || s.Outcome != "" {
		return err
	}
	defs, err := DefinitionsOf(cur)
	if err != nil {
		return err
	}
	if why, err := defs.ending(ctx, s); why == "" {
		return err
	}
	_, err = Advance(ctx, cur.Workspace, id)
	return err
}

// turn says what a run of a concurrency group waits for, and whether a newer run of the group ends
// it. Of several runs that have not begun, the oldest comes first. A run's group follows from its
// definition: the one in its record can be written by anyone who can push.
func (d *Definitions) turn(ctx context.Context, def Definition, s run.State) (Turn, error) {
	group := def.groupOf(s)
	all, err := d.rivals(ctx, group, s)
	if err != nil {
		return Turn{}, err
	}
	var holder run.State
	for _, other := range all {
		if newer(other.State, s) && other.cancels {
			return Turn{Group: group, Replaced: other.ID}, nil
		}
		if ahead(other.State, s) && (holder.ID == "" || ahead(other.State, holder)) {
			holder = other.State
		}
	}
	if holder.ID == "" {
		return Turn{}, nil
	}
	return Turn{Group: group, Holder: holder.ID}, nil
}

// rival is another active run of a group; cancels says that it replaces older ones.
type rival struct {
	run.State
	cancels bool
}

// rivals returns the other active runs of a group.
func (d *Definitions) rivals(ctx context.Context, group string, s run.State) (out []rival, err error) {
	if group == "" {
		return nil, nil
	}
	all, err := d.activeRuns()
	for _, other := range all {
		if other.Group != group || other.ID == s.ID || early(d, other) {
			continue
		}
		def, err := d.Of(ctx, other)
		if err != nil {
			return nil, err
		}
		//defence:groups-follow-from-definitions
		if !def.Found || def.groupOf(other) != group {
			continue
		}
		out = append(out, rival{other, def.Concurrency.Cancel})
	}
	return out, err
}

// replace ends the older runs that a run replaces by its group's cancel, so that it waits for no pass.
func (d *Definitions) replace(ctx context.Context, s run.State) error {
	if s.Group == "" || s.Outcome != "" || early(d, s) {
		return nil
	}
	def, err := d.Of(ctx, s)
	if err != nil || !def.Concurrency.Cancel {
		return err
	}
	all, err := d.rivals(ctx, def.groupOf(s), s)
	for _, other := range all {
		if err != nil || !newer(s, other.State) {
			continue
		}
		_, err = d.cur.Runs.Append(ctx, other.ID, engine, d.cur.Now(), func(now run.State) (*run.Record, error) {
			if now.Outcome != "" {
				return nil, nil
			}
			return Turn{Replaced: s.ID}.next().Record, nil
		})
	}
	return err
}

// next is the end of a run that a newer one replaces, else the zero value.
func (t Turn) next() run.Next {
	if t.Replaced == "" {
		return run.Next{}
	}
	return run.Next{Record: &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Cancelled, Reason: "replaced by " + t.Replaced}}
}

// String says what the run waits for, "" for nothing.
func (t Turn) String() string {
	switch {
	case t.Replaced != "":
		return "the next pass cancels it: " + t.Replaced + " replaces it"
	case t.Ends != "":
		return "another run of the group " + t.Group + " has not been ended: " + t.Holder + ", " + t.Ends + "; assent reconcile ends it"
	case t.Holder != "":
		return "another run of the group " + t.Group + " goes on: " + t.Holder
	}
	return ""
}

// early reports whether a run's beginning is dated further ahead than clocks differ. Anyone who can push
// can write such a run, which would come before all others for good.
func early(d *Definitions, s run.State) bool { return s.Began.After(d.cur.Now().Add(skew)) }

// skew is by how much clocks may differ.
const skew = 5 * time.Minute

func newer(a, b run.State) bool { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID)) > 0 }

// ahead reports whether a comes before b: it has begun its jobs and b has not, or it is older.
func ahead(a, b run.State) bool {
	if begun := len(a.Jobs) > 0; begun != (len(b.Jobs) > 0) {
		return begun
	}
	return newer(b, a)
}

// groupOf returns the group of a run by its definition, empty for none.
func (d Definition) groupOf(s run.State) string {
	return groupOf(Beginning{Workflow: d.Workflow, About: s.About, Inputs: s.Inputs})
}

// groupOf is the group of a run that begins.
func groupOf(b Beginning) string {
	values := map[string]string{workflow.GivenProposal: b.About}
	for _, in := range b.Workflow.Inputs {
		values[in.Name] = b.Inputs[in.Name]
	}
	group := workflow.Fill(b.Workflow.Concurrency.Group, values)
	if len(group) > workflow.MaxInput {
		group = group[:workflow.MaxInput]
	}
	return group
}
