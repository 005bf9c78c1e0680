package output

import (
	"context"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
)

// Damaged is a proposal that cannot be read.
type Damaged struct {
	ID    string `json:"id"`
	Where string `json:"where"`
	Error string `json:"error"`
}

// Examine examines the proposals that a filter admits, newest first, and passes each to visit. It
// keeps none of them, since a journal can hold 64 MiB. It returns those that cannot be read: one
// proposal must not hide the rest.
func Examine(ctx context.Context, cur workspace.Session, filter forge.Filter, visit func(workspace.Examined) error) ([]Damaged, error) {
	pulls, err := cur.Forge.List(ctx, filter)
	bad, err := forge.Damages(err)
	if err != nil {
		return nil, err
	}
	for _, p := range pulls {
		ex, err := cur.Examine(ctx, p.ID)
		damaged, err := forge.Damages(err)
		if err == nil && len(damaged) == 0 {
			err = visit(ex)
		}
		if err != nil {
			return nil, err
		}
		bad = append(bad, damaged...)
	}
	broken := []Damaged{}
	for _, d := range bad {
		broken = append(broken, Damaged{d.ID, d.Where, d.Err.Error()})
	}
	order.Sort(broken, func(a, b Damaged) int { return strings.Compare(a.ID, b.ID) })
	return broken, nil
}

// PrintDamaged names the proposals that cannot be read. Its exit code says that the
// answer is not the whole one.
func PrintDamaged(c *console.Console, list []Damaged) error {
	if len(list) == 0 {
		return nil
	}
	for _, d := range list {
		c.Complain("%s %s at %s cannot be read: %s", c.Style.Bad("damaged:"), console.OneLine(d.ID), console.OneLine(d.Where), console.OneLine(d.Error))
	}
	c.Complain("%s assent doctor says what to do", c.Style.Dim("hint:"))
	return console.Quiet(console.ExitWorld)
}

// IDsOf names the proposals that cannot be read.
func IDsOf(list []Damaged) string {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	return strings.Join(ids, ", ")
}
