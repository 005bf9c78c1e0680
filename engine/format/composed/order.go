package composed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Tool is the capability that a name refers to in a workspace.
type Tool struct {
	// Name is the name of the capability.
	Name string
	// Program is the program of a composed tool, nil for all others.
	Program *Program
	// Why and Fix explain why an existing capability cannot be called, and what to do;
	// see Uncallable.
	Why, Fix string
}

// Registry resolves tools.<name> in a program, for any spelling. ok is false if nothing
// of that name can be called.
type Registry func(spelling string) (tool Tool, ok bool, err error)

// maxTools bounds the direct and indirect dependencies of a composed tool.
const maxTools = 1000

// Order lists the direct and indirect callees of root, each after its own callees; root
// is the last. The diagnostics report unknown names and cycles at the calls. The error is
// the registry's.
func Order(root Tool, registry Registry) ([]string, diag.List, error) {
	o := orderer{registry: registry, done: map[string]bool{}}
	err := o.visit(root)
	o.found.Sort()
	return o.order, o.found, err
}

type orderer struct {
	registry Registry
	path     []string // names being visited, from the root
	done     map[string]bool
	order    []string
	found    diag.List
}

func (o *orderer) visit(t Tool) error {
	o.path = append(o.path, t.Name)
	defer func() { o.path = o.path[:len(o.path)-1] }()
	if t.Program != nil {
		for _, c := range t.Program.calls {
			if err := o.follow(c); err != nil {
				return err
			}
		}
	}
	o.done[t.Name] = true
	o.order = append(o.order, t.Name)
	return nil
}

func (o *orderer) follow(c Call) error {
	next, ok, err := o.registry(c.Name)
	switch {
	case err != nil:
		return fmt.Errorf("look for %s: %w", c, err)
	case !ok && next.Why != "":
		o.found.Errorf(RuleUnknown, c.Pos, next.Fix, "%s %s", c, next.Why)
	case !ok:
		o.found.Errorf(RuleUnknown, c.Pos, "propose that tool first, or correct the name; assent list shows what there is",
			"%s is no tool of this workspace that could be called", c)
	case slices.Contains(o.path, next.Name):
		at := slices.Index(o.path, next.Name)
		o.found.Errorf(RuleCycle, c.Pos, "take the call out of one of them", "the call closes a circle: %s",
			strings.Join(append(slices.Clone(o.path[at:]), next.Name), " → "))
	case o.done[next.Name]:
	case len(o.done)+len(o.path) > maxTools:
		o.found.Errorf(RuleCycle, c.Pos, "compose less of it", "it depends on more than %d tools", maxTools)
	default:
		return o.visit(next)
	}
	return nil
}
