package inforce

import (
	"context"
	"time"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

const (
	// lately is how long ago a capability was tested or used that is not tested again.
	lately = 24 * time.Hour
	// preflightTime bounds the smoke tests of one link, preflightRounds how often it is linked again.
	preflightTime   = 30 * time.Second
	preflightRounds = 3
)

// preflight says how many smoke tests of a linked capability ran, and why it, or they, cannot be used.
type preflight struct {
	Name  string `json:"name"`
	Cases int    `json:"cases"`
	Why   string `json:"why,omitempty"`
}

// link links a mission. With --preflight it tests what is linked, and links again without what failed.
func (o linkOptions) link(ctx context.Context, c *console.Console, cur workspace.Session, q link.Question) (a linker.Answer, here discover.Here, ran []preflight, err error) {
	a, here, err = linkNow(ctx, c, cur, q)
	if err != nil || !o.preflight {
		return a, here, nil, err
	}
	engine, err := machine.Engine(cur, machine.Caller{Agent: o.agent, Getenv: c.World.Getenv})
	if err != nil {
		return a, here, nil, err
	}
	var turned []tool.Turned
	engine.Turned = func(t tool.Turned) { turned = append(turned, t) }
	bounded, stop := context.WithTimeout(ctx, preflightTime)
	defer stop()
	tested := map[string]bool{}
	for range preflightRounds {
		before := len(turned)
		for _, l := range a.Linked {
			if l.Kind != capability.KindTool && l.Kind != capability.KindMCP || tested[l.Name] {
				continue
			}
			tested[l.Name] = true
			p := preflight{Name: l.Name}
			if p.Cases, err = tool.Preflight(bounded, engine, l.Name, cur.Now().Add(-lately)); err != nil {
				p.Why = err.Error()
			}
			if p.Cases > 0 || err != nil {
				ran = append(ran, p)
			}
		}
		if len(turned) == before {
			break
		}
		if a, here, err = linkNow(ctx, c, cur, q); err != nil {
			return a, here, ran, err
		}
	}
	follow(ctx, c, cur, cur.Now(), o.agent, turned)()
	return a, here, ran, nil
}
