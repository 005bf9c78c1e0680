package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
)

// damagedJSON is a proposal that cannot be read.
type damagedJSON struct {
	ID    string `json:"id"`
	Where string `json:"where"`
	Error string `json:"error"`
}

// proposals examines what a filter admits, newest first. Those that cannot be read
// are named beside the others: what one contains must not hide the rest.
func proposals(ctx context.Context, cur workspace.Session, filter forge.Filter) ([]workspace.Examined, []damagedJSON, error) {
	pulls, err := cur.Forge.List(ctx, filter)
	bad, err := forge.Damages(err)
	if err != nil {
		return nil, nil, err
	}
	var out []workspace.Examined
	for _, p := range pulls {
		ex, err := cur.Examine(ctx, p.ID)
		damaged, err := forge.Damages(err)
		if err != nil {
			return nil, nil, err
		}
		if len(damaged) == 0 {
			out = append(out, ex)
		}
		bad = append(bad, damaged...)
	}
	broken := []damagedJSON{}
	for _, d := range bad {
		broken = append(broken, damagedJSON{d.ID, d.Where, d.Err.Error()})
	}
	slices.SortFunc(broken, func(a, b damagedJSON) int { return strings.Compare(a.ID, b.ID) })
	return out, broken, nil
}

// damaged names the proposals that cannot be read. Its exit code says that the
// answer is not the whole one.
func (c *console) damaged(list []damagedJSON) error {
	if len(list) == 0 {
		return nil
	}
	for _, d := range list {
		c.complain("%s %s at %s cannot be read: %s", c.style.bad("damaged:"), oneLine(d.ID), oneLine(d.Where), oneLine(d.Error))
	}
	c.complain("%s assent doctor says what to do", c.style.dim("hint:"))
	return quiet(exitWorld)
}

func idsOf(list []damagedJSON) string {
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	return strings.Join(ids, ", ")
}
