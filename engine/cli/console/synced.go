package console

import (
	"context"
	"strings"

	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
)

// Synced refreshes the folders of skills that are kept from the workspace that was opened last, and returns those
// that changed. A failure is reported only.
func Synced(ctx context.Context, c *Console) (changed []skillsync.Plan) {
	dir, err := keys.Home()
	if err != nil || c.Opened == nil {
		return nil
	}
	store := home.At(dir)
	if all, err := skillsync.Targets(store); err == nil && len(all) == 0 {
		return nil
	}
	done, err := skillsync.Refresh(ctx, c.Opened, store)
	if err != nil {
		c.Complain("%s a folder of skills is not up to date: %s", c.Style.Warn("warning:"), OneLine(err.Error()))
	}
	for _, p := range done {
		if what := changes(p); what != "" {
			c.Progress("synced %s: %s", OneLine(p.Dir), OneLine(what))
		}
		if p.Changes() {
			changed = append(changed, p)
		}
	}
	return changed
}

// changes sums a plan up in a line; empty where nothing changed.
func changes(p skillsync.Plan) string {
	var out []string
	for _, state := range []skillsync.State{skillsync.Written, skillsync.Updated, skillsync.Removed, skillsync.LeftAlone} {
		var names []string
		for _, s := range p.Skills {
			if s.State == state {
				names = append(names, s.Name)
			}
		}
		if len(names) > 0 {
			out = append(out, strings.ReplaceAll(string(state), "_", " ")+" "+strings.Join(names, ", "))
		}
	}
	if len(p.Restart) > 0 {
		out = append(out, "restart "+Words(p.Restart)+", which sees this only then")
	}
	return strings.Join(out, "; ")
}
