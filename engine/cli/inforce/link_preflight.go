package inforce

import (
	"context"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// link links a mission. With --preflight it tests what is linked, and links again without what failed.
func (o linkOptions) link(ctx context.Context, c *console.Console, cur workspace.Session, q link.Question) (a linker.Answer, here discover.Here, ran []tool.Tested, err error) {
	if !o.preflight {
		a, here, err = linkNow(ctx, c, cur, q)
		return a, here, nil, err
	}
	engine, err := machine.Engine(cur, machine.Caller{Agent: o.agent, Getenv: c.World.Getenv})
	if err != nil {
		return a, here, nil, err
	}
	ran, turned, err := tool.Preflights(ctx, engine, func() ([]string, error) {
		var err error
		a, here, err = linkNow(ctx, c, cur, q)
		return linker.Called(a.Linked), err
	})
	if err == nil {
		follow(ctx, c, cur, cur.Now(), o.agent, turned)()
	}
	return a, here, ran, err
}
