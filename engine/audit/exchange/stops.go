package exchange

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// stops publishes the stop records that the remote lacks. A record never changes, so
// there are no updates.
func (p *pushing) stops() error {
	if len(p.o.IDs) > 0 {
		return nil
	}
	refs, err := p.w.Repo.Refs(workspace.StopPrefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return err
	}
	for _, ref := range broken {
		p.held = append(p.held, Held{stopName(ref.Name), ref.Error()})
	}
	for _, ref := range refs {
		there := p.there[ref.Name]
		if there == ref.Hash {
			continue
		}
		if !there.IsZero() {
			p.held = append(p.held, Held{stopName(ref.Name), "the remote's record of this name differs"})
			continue
		}
		if _, err := p.w.StopRecords().At(strings.TrimPrefix(ref.Name, workspace.StopPrefix), ref.Hash); err != nil {
			p.held = append(p.held, Held{stopName(ref.Name), err.Error()})
			continue
		}
		p.moves = append(p.moves, remote.Move{Ref: ref.Name, New: ref.Hash})
	}
	return nil
}

func stopName(ref string) string { return "stop " + strings.TrimPrefix(ref, workspace.StopPrefix) }

// stops imports the stop records of the remote, after main, so that the roles in it
// apply. A record missing on the remote is not deleted here, and a lost local record is
// stored again.
func (p *pulling) stops(ctx context.Context) error {
	names := p.differing(workspace.StopPrefix)
	if p.dryRun {
		for _, name := range names {
			p.out.Stops = append(p.out.Stops, strings.TrimPrefix(name, workspace.StopPrefix))
		}
		return nil
	}
	cur, err := p.w.Session(ctx)
	if err != nil {
		p.out.Problems = append(p.out.Problems, fmt.Errorf("stops are not imported: %w", err))
		return nil
	}
	if err := workspace.RestoreStops(cur); err != nil {
		return err
	}
	for _, name := range names {
		if !p.here[name].IsZero() {
			p.out.Problems = append(p.out.Problems, fmt.Errorf("%s: the remote's record of this name differs", stopName(name)))
			continue
		}
		id := strings.TrimPrefix(name, workspace.StopPrefix)
		if !stop.IsID(id) {
			p.out.Problems = append(p.out.Problems, fmt.Errorf("%s: invalid name of a stop", stopName(name)))
			continue
		}
		s, err := p.w.StopRecords().At(id, p.there[name])
		if err == nil {
			err = workspace.AdmitStop(cur, s)
		}
		//defence:stops-of-strangers-stay-outside
		if err != nil {
			p.out.Problems = append(p.out.Problems, fmt.Errorf("%s: %w", stopName(name), err))
			continue
		}
		if err := p.w.StopRecords().File(s); err != nil {
			return err
		}
		p.out.Stops = append(p.out.Stops, id)
	}
	return nil
}
