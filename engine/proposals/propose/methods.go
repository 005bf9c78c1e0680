package propose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// Listed is what the servers that a request adds or changes list.
type Listed struct {
	files []tree.Edit // the methods.yaml that differ
	notes diag.List
}

// maxListing is the time after which no other server of a change, or of a pass, is started.
const maxListing = time.Minute

// finish completes b. If validation passes, it starts the servers that r adds or changes and rebuilds the proposal with
// the methods they list. next is r with the earlier edits of an open proposal.
func (b *built) finish(ctx context.Context, cur workspace.Session, r, next Request) (head tree.Hash, listed *Listed, never diag.List, err error) {
	listed = &Listed{}
	head, never, err = b.complete(ctx, cur)
	if err != nil || never != nil || !b.passed {
		return head, listed, never, err
	}
	if r.Listed != nil {
		listed = r.Listed
	} else if !r.engine {
		listed, err = methodsOf(ctx, cur, r, b.commit)
	}
	if err != nil || len(listed.files) == 0 {
		return head, listed, nil, err
	}
	next.Proposal.ID = b.proposal.ID
	next.Edits = slices.DeleteFunc(slices.Clone(next.Edits), func(e tree.Edit) bool {
		return slices.ContainsFunc(listed.files, func(f tree.Edit) bool { return f.Path == e.Path })
	})
	next.Edits = append(next.Edits, listed.files...)
	again, bad, err := build(cur, next)
	if err != nil || bad.HasErrors() {
		return head, listed, bad, err
	}
	*b = again
	head, never, err = b.complete(ctx, cur)
	return head, listed, never, err
}

// methodsOf starts each server that r changes, without hosts and secrets, and returns its methods.yaml if that differs.
// It skips servers whose methods.yaml r edits.
func methodsOf(ctx context.Context, cur workspace.Session, r Request, commit tree.Hash) (*Listed, error) {
	view, err := cur.See(commit)
	if err != nil {
		return nil, err
	}
	own, err := effectiveEdits(cur.View, r.Edits)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range r.Edits {
		c, ok := names.ParseSkillPath(e.Path, func(dir string) bool {
			there, err := tree.Exists(view, dir+"/"+names.SkillFile)
			return there && err == nil
		})
		given := func(e tree.Edit) bool { return e.Path == tree.Join(c.Dir, capability.MethodsFile) }
		if ok && !slices.Contains(dirs, c.Dir) && !slices.ContainsFunc(own, given) {
			dirs = append(dirs, c.Dir)
		}
	}
	out, box, took := &Listed{}, boxOnce(cur), cmp.Or(r.Listing, new(time.Duration))
	for _, dir := range dirs {
		c, bad, err := capability.Load(view, dir)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", dir, err)
		}
		if bad.HasErrors() || c.Kind != capability.KindMCP || !c.Callable() || c.Record.Run.Runtime != capability.MCPStdio {
			continue
		}
		pos := diag.Pos{File: tree.Join(dir, capability.MethodsFile)}
		//defence:listing-is-bounded
		if *took > maxListing {
			box = func(context.Context) (sandbox.Runner, error) {
				return nil, errors.New("the servers before it took too long")
			}
		}
		began := cur.Now()
		text, why, err := listedBy(ctx, cur, box, view, c)
		*took += cur.Now().Sub(began)
		if err != nil {
			return nil, err
		}
		had, _ := view.Read(pos.File)
		switch {
		case why != "":
			out.notes.Notef(RuleMethods, pos, "propose it on a machine whose sandbox can start it, or run this after the merge: assent propose --methods "+names.ShellWord(c.Name),
				"the methods of %s are not recorded: %s", c.Name, why)
		case string(had) != string(text):
			out.notes.Notef(RuleMethods, pos, "review the list: after the merge, only these methods can be called", "methods.yaml records what %s listed in the sandbox", c.Name)
			out.files = append(out.files, tree.Edit{Path: pos.File, Content: text, Mode: tree.Regular})
		}
	}
	return out, nil
}

// boxOnce returns the workspace's sandbox, which is tried out at the first call. Proposed code never runs without
// isolation, whatever the policies say.
func boxOnce(cur workspace.Session) func(context.Context) (sandbox.Runner, error) {
	var box sandbox.Runner
	var err error
	return func(ctx context.Context) (sandbox.Runner, error) {
		switch {
		case cur.Sandbox == nil:
			return nil, errors.New("there is no sandbox")
		case box == nil && err == nil:
			box, err = cur.Sandbox(ctx)
		}
		return box, err
	}
}

// listedBy returns methods.yaml as the server lists its methods. why is the reason if it could not be asked.
func listedBy(ctx context.Context, cur workspace.Session, box func(context.Context) (sandbox.Runner, error), view tool.View, c capability.Capability) (text []byte, why string, err error) {
	home, err := keys.Home()
	if err != nil {
		return nil, "", err
	}
	p := cur.Policies
	p.Security.Hosts = nil
	var methods []capability.Method
	runner, err := box(ctx)
	if err == nil {
		var ended suite.Outcome
		methods, ended, err = tool.NewTrial(view, p, runner, cur.Now, filepath.Join(home, "packages")).Methods(ctx, c)
		if err == nil && ended.Ended != suite.Answered {
			return nil, suite.Cause(ended), nil
		}
	}
	if err == nil {
		text, err = capability.WriteMethods(methods)
	}
	if err != nil { // a server that cannot be listed here can be proposed
		return nil, strings.Join(strings.Fields(err.Error()), " "), ctx.Err()
	}
	return text, "", nil
}
