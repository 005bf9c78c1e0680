package proposals

import (
	"context"
	"errors"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// listing is the edit that brings the methods that a server in force lists now. Only what is merged of them is called.
func listing(ctx context.Context, c *console.Console, cur workspace.Session, o proposeOptions) (tree.Edit, error) {
	f, err := console.CapabilityNamed(cur, o.methods)
	if err != nil {
		return tree.Edit{}, err
	}
	engine, err := machine.Engine(cur, machine.Caller{Agent: o.agent, Getenv: c.World.Getenv})
	if err != nil {
		return tree.Edit{}, err
	}
	methods, res, err := engine.Methods(ctx, tool.Call{Name: f.Name, Live: true})
	if err != nil {
		return tree.Edit{}, err
	}
	text := []byte(nil)
	if err = errors.New(res.Error); res.Success {
		text, err = capability.WriteMethods(methods)
	}
	if err != nil {
		return tree.Edit{}, console.Refused(res.Hint, "nothing was proposed: %v", err)
	}
	return tree.Edit{Path: tree.Join(f.Path, capability.MethodsFile), Content: text, Mode: tree.Regular}, nil
}
