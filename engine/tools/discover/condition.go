package discover

import (
	"context"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Here is a workspace with this installation's record of its capabilities.
type Here struct {
	Session workspace.Session
	Health  *triallog.Health
	stops   stop.Judged
	learned *index.Learned
	critics opinions
	// unlearned says which trials teach nothing, because they cannot be read.
	unlearned error
	meaning   *meaning
}

// Open reads the stops by people, and what past missions taught.
func Open(ctx context.Context, cur workspace.Session) (Here, error) {
	stops, err := cur.Stops(ctx)
	h := Here{Session: cur, Health: workspace.HealthOf(cur), stops: stops}
	h.learned, h.critics, h.unlearned = learn(cur)
	return h, err
}

// Condition says whether a capability can be used now.
type Condition struct {
	// Unusable says why it cannot; empty where it can.
	Unusable string
	// Stopped is set while a person has stopped it.
	Stopped *stop.Held
	// Health is the health of the code here.
	Health health.State
	// Called is set for a tool or server.
	Called bool
}

func (c Condition) rank() int {
	if c.Unusable != "" {
		return 1
	}
	return 0
}

// Entry reads the fields of the index for one capability that searches and links use.
func (h Here) Entry(f capability.Folder) (index.Entry, error) { return entryOf(h.Session.View, f) }

func entryOf(v tree.View, f capability.Folder) (index.Entry, error) {
	c, sound, err := capability.Glance(v, f)
	if err != nil {
		return index.Entry{}, err
	}
	at, err := v.Lookup(f.Path)
	return index.Entry{
		Folder: f, Tree: at.Hash, Kind: c.Kind, Version: c.Version, Status: c.Status, Description: c.Description, Implements: c.Record.Implements, Requires: c.Record.Requires.Capabilities,
		Category: c.Category, Tags: c.Record.Tags, Agents: c.Record.Agents, Executable: c.Executable, SpecOnly: c.SpecOnly, Unsound: !sound,
	}, err
}

// Condition says whether a capability can be used now, as far as that shows without an input.
func (h Here) Condition(e index.Entry) (c Condition, err error) {
	c.Called = e.Kind == capability.KindTool || e.Kind == capability.KindMCP
	if held, stopped := h.stops.Of(e.Name); stopped {
		c.Stopped = &held
	}
	var broken string
	switch {
	case c.Called && e.SpecOnly:
		broken, err = h.unbuilt(e)
	case c.Called:
		broken, err = h.quarantined(e, &c)
	}
	switch {
	case c.Stopped != nil:
		c.Unusable = "a person stopped it: " + c.Stopped.Reason
	case !e.Status.Runs():
		c.Unusable = "its status is " + string(e.Status)
	default:
		c.Unusable = broken
	}
	return c, err
}

// unbuilt says that nothing implements a specification.
func (h Here) unbuilt(e index.Entry) (string, error) {
	ways, err := h.Session.Capabilities.Related(index.Implements, e.Name)
	if err != nil || slices.ContainsFunc(ways, func(way index.Entry) bool { return way.Status.Runs() && !way.SpecOnly }) {
		return "", err
	}
	return "it is specified and has no code yet", nil
}

// quarantined reports that the code is in quarantine here.
func (h Here) quarantined(e index.Entry, c *Condition) (string, error) {
	known, err := h.Health.Read(e.Name)
	if err != nil {
		return "", err
	}
	entry := known.Entry(e.Tree.String(), e.Version)
	if c.Health = entry.State; c.Health.Runs() {
		return "", nil
	}
	return "it is in quarantine: " + entry.Why, nil
}
