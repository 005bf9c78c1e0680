package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// stops publishes the stop records that the remote lacks. A record never changes, so
// there are no updates.
func (p *pushing) stops(context.Context) error {
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
		if there == ref.Hash || !workspace.Shared(ref.Name) {
			continue
		}
		if !there.IsZero() {
			p.held = append(p.held, Held{stopName(ref.Name), "the remote's record of this name differs: assent doctor --fix --remote=" + names.ShellWord(p.o.Remote) + " replaces it if it is not the one that a human signed"})
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
// apply. A record missing on the remote is not deleted here, and a lost or altered local
// record is stored again.
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
	p.out.Problems = append(p.out.Problems, workspace.RestoreStops(cur)...)
	for _, name := range names {
		id := strings.TrimPrefix(name, workspace.StopPrefix)
		//defence:stops-of-strangers-stay-outside
		if err := p.admitsStop(cur, id, p.there[name]); err != nil {
			p.out.Problems = append(p.out.Problems, fmt.Errorf("%s: %w", stopName(name), err))
			continue
		}
		s, err := p.w.StopRecords().At(id, p.there[name])
		if err == nil {
			err = p.w.StopRecords().File(s)
		}
		if err != nil {
			p.out.Problems = append(p.out.Problems, fmt.Errorf("%s: %w", stopName(name), err))
			continue
		}
		p.out.Stops = append(p.out.Stops, id)
	}
	return nil
}

// admitsStop returns why the remote's record of a stop is not imported.
func (p *pulling) admitsStop(cur workspace.Session, id string, there tree.Hash) error {
	if !stop.IsID(id) {
		return errors.New("invalid name of a stop")
	}
	theirs, err := p.w.StopRecords().At(id, there)
	if err != nil {
		return err
	}
	if err := workspace.AdmitStop(cur, theirs); err != nil {
		return err
	}
	here, err := p.w.Repo.Ref(workspace.StopPrefix + id)
	if broken, rest := gitstore.BrokenRefs(err); len(broken) > 0 || errors.Is(err, gitstore.ErrNoRef) {
		return nil // a missing or broken ref is replaced
	} else if rest != nil {
		return rest
	}
	if ours, err := p.w.StopRecords().At(id, here); err == nil && workspace.AdmitStop(cur, ours) == nil {
		return errors.New("the remote's record of this name differs from the one here, which a human signed")
	}
	return nil
}
