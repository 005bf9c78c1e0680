package skillsync

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/assent-dev/assent/engine/agents/install"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/proposals/exporter"
	"github.com/assent-dev/assent/engine/workspace"
)

// State is the action of sync on a skill.
type State string

// The states of a skill.
const (
	Written   State = "written"
	Updated   State = "updated"
	Removed   State = "removed"
	Same      State = "same"
	LeftAlone State = "left_alone" // a file there was edited, or sync did not write it
)

// Skill is one skill of the folder.
type Skill struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// InWay are the files for which the skill is left alone, or that stay behind.
	InWay []string `json:"in_way,omitempty"`
	plan  exporter.Plan
}

// Plan lists the changes that make a folder equal to the state in force.
type Plan struct {
	Target  `json:"target"`
	Commit  tree.Hash `json:"commit"`
	Skills  []Skill   `json:"skills"`
	LeftOut []LeftOut `json:"left_out"`
	Listing Listing   `json:"listing"`
	// Restart are the clients that see the changes only once they are restarted.
	Restart []install.Client `json:"restart,omitempty"`
	before  manifest
}

// Incomplete reports whether a skill is left alone.
func (p Plan) Incomplete() bool {
	return slices.ContainsFunc(p.Skills, func(s Skill) bool { return s.State == LeftAlone })
}

// Changes reports whether something of the folder is written or removed.
func (p Plan) Changes() bool {
	return slices.ContainsFunc(p.Skills, func(s Skill) bool { return s.State != Same && s.State != LeftAlone })
}

// Compare plans the sync of a folder. It writes nothing.
func Compare(ctx context.Context, cur workspace.Session, store home.Store, t Target) (Plan, error) {
	p, err := begin(store, t)
	if err != nil {
		return p, err
	}
	if had := p.before; had.V != 0 && (had.Workspace != t.Workspace || had.Agent != t.Agent) {
		return p, &install.Refused{
			Path: t.Dir, Err: fmt.Errorf("it has the skills of the agent %s of the workspace %.10s", had.Agent, had.Workspace),
			Fix: "assent sync --remove --to " + names.ShellWord(t.Dir) + " takes those out",
		}
	}
	p.Commit = cur.InForce
	chosen, out, size, err := choose(ctx, cur, t, p.Listing.Others)
	if err != nil {
		return p, err
	}
	var copies []exporter.Copy
	for _, e := range chosen {
		c, err := exporter.InForce(ctx, cur, e.Folder)
		if err != nil {
			return p, err
		}
		copies = append(copies, c)
	}
	p.LeftOut, p.Listing = out, size
	return p, p.compare(copies)
}

// Emptied plans the removal of everything that sync wrote into a folder. It needs no workspace.
func Emptied(store home.Store, dir string) (Plan, error) {
	p, err := begin(store, Target{Dir: dir})
	if err != nil {
		return p, err
	}
	p.Workspace, p.Agent, p.Commit = p.before.Workspace, p.before.Agent, p.before.Commit
	return p, p.compare(nil)
}

// begin reads the manifest, and counts the listing of skills that are not sync's.
func begin(store home.Store, t Target) (Plan, error) {
	p := Plan{Target: t, Skills: []Skill{}, LeftOut: []LeftOut{}}
	real, err := RealPath(t.Dir)
	if err != nil {
		return p, err
	}
	if real != t.Dir {
		return p, &install.Refused{Path: t.Dir, Err: errors.New("a symbolic link in its path leads to " + real), Fix: "remove the link, or sync the folder that it leads to: assent sync --to DIR"}
	}
	if p.before, err = readManifest(store, t.Dir); err != nil {
		return p, err
	}
	others, err := foreign(t.Dir, p.before)
	p.Listing = Listing{Others: others, Budget: t.Budget}
	return p, err
}

// compare plans each skill: the wanted ones, then the recorded ones that are no longer
// wanted.
func (p *Plan) compare(wanted []exporter.Copy) error {
	for _, name := range slices.Sorted(maps.Keys(p.before.Skills)) {
		if !slices.ContainsFunc(wanted, func(c exporter.Copy) bool { return c.Name == name }) {
			wanted = append(wanted, exporter.Copy{Name: name})
		}
	}
	for _, c := range wanted {
		plan, err := exporter.Compare(p.Dir, c, func() (exporter.Earlier, error) { return p.before.Skills[c.Name].earlier(), nil })
		if err != nil {
			return err
		}
		p.Skills = append(p.Skills, skillOf(plan))
	}
	if p.Changes() {
		p.Restart = install.Restart(p.Dir)
	}
	return nil
}

// skillOf summarizes the changes for one skill.
func skillOf(plan exporter.Plan) Skill {
	s := Skill{Name: plan.Name, State: Same, plan: plan}
	count := map[exporter.Found]int{}
	for _, i := range plan.Items {
		count[i.Found]++
		if i.Found.Blocked() || i.Found == exporter.Kept {
			s.InWay = append(s.InWay, i.Path)
		}
	}
	switch {
	case plan.Blocked(), len(plan.Files) == 0 && count[exporter.Kept] > 0:
		s.State = LeftAlone
	case len(plan.Files) == 0:
		s.State = Removed
	case count[exporter.New] == len(plan.Files):
		s.State = Written
	case count[exporter.New]+count[exporter.Older]+count[exporter.Left] > 0:
		s.State = Updated
	}
	return s
}

// Write carries out the plan. It stops at the first file that changed since the plan was
// made; a repeated call continues from there.
func (p Plan) Write(ctx context.Context, store home.Store) error {
	next := manifest{Workspace: p.Workspace, Agent: p.Agent, Commit: p.Commit, Skills: map[string]files{}}
	during := manifest{Workspace: p.Workspace, Agent: p.Agent, Commit: p.before.Commit, Skills: maps.Clone(p.before.Skills)}
	for _, s := range p.Skills {
		had := p.before.Skills[s.Name]
		now, both := s.recorded(had)
		if len(now) > 0 {
			next.Skills[s.Name] = now
		}
		if len(both) > 0 {
			during.Skills[s.Name] = both
		}
	}
	if len(next.Skills)+len(during.Skills) == 0 {
		return nil
	}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return fmt.Errorf("make the folder for skills: %w", err)
	}
	if err := during.write(store, p.Dir); err != nil {
		return err
	}
	for _, s := range p.Skills {
		if s.State == Same || s.plan.Blocked() {
			continue
		}
		err := s.plan.Write(ctx, p.Dir)
		if errors.Is(err, exporter.ErrMeanwhile) {
			return &install.Refused{Path: p.Dir, Err: err, Fix: "assent sync"}
		}
		if err != nil {
			return err
		}
	}
	return next.write(store, p.Dir)
}

// recorded returns the manifest's entry for a skill after the write, and during it.
func (s Skill) recorded(had files) (after, during files) {
	if s.plan.Blocked() {
		return had, had
	}
	after, during = files{}, maps.Clone(had)
	if during == nil {
		during = files{}
	}
	for _, i := range s.plan.Items {
		blob := tree.BlobHash(i.Content)
		switch i.Found {
		case exporter.New, exporter.Older:
			after[i.Path] = []tree.Hash{blob}
			during[i.Path] = append(slices.Clone(had[i.Path]), blob)
		case exporter.Same:
			if slices.Contains(had[i.Path], blob) { // else the same file was there before, and is not sync's
				after[i.Path] = []tree.Hash{blob}
			}
		}
	}
	return after, during
}
