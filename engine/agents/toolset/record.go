package toolset

import (
	"context"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// Read records that a client's own tools read a skill in force for an agent, such as from the
// client's folder of skills. Another name is ignored.
func (p Program) Read(ctx context.Context, agent, name string) error {
	cur, err := p.Look(ctx)
	if err != nil {
		return err
	}
	known, err := cur.View.Named(name)
	if err != nil || len(known) == 0 {
		return err
	}
	c, _, err := capability.Glance(cur.View, known[0])
	if err != nil {
		return err
	}
	p.loaded(ctx, cur, agent, c)
	return nil
}

// loaded records that an agent read a capability's text.
func (p Program) loaded(ctx context.Context, cur workspace.Session, agent string, c capability.Capability) {
	use := trial.Observation{Level: trial.Loaded, Capability: c.Name, Version: c.Version}
	if at, err := cur.View.Lookup(c.Path); err == nil {
		use.Blob = at.Hash.String()
	}
	p.observed(ctx, cur, agent, use)
}

// observed records what the engine observed of an agent.
func (p Program) observed(ctx context.Context, cur workspace.Session, agent string, uses ...trial.Observation) {
	if p.Record == nil || len(uses) == 0 {
		return
	}
	for i := range uses {
		uses[i].At, uses[i].Source, uses[i].Agent = cur.Now(), trial.Engine, agent
		uses[i].Model, uses[i].Mission = p.Model, p.Mission
		uses[i] = uses[i].Neat()
	}
	p.Record(ctx, cur, uses...)
}
