package clients

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/cli/console"
)

// syncJSON is the answer of assent sync.
type syncJSON struct {
	DryRun  bool             `json:"dry_run,omitempty"`
	Folders []skillsync.Plan `json:"folders"`
}

// show prints the result. Skills that were left alone make it incomplete: exit code 1.
func (s syncing) show(plans []skillsync.Plan) error {
	incomplete := false
	for _, p := range plans {
		incomplete = incomplete || p.Incomplete()
	}
	switch {
	case s.c.JSON:
		if err := s.c.Emit(syncJSON{s.dryRun, plans}); err != nil {
			return err
		}
	default:
		if s.dryRun {
			s.c.Printf("%s\n", s.c.Style.Warn("dry run: nothing is written; this is what would happen"))
		}
		for _, p := range plans {
			printSync(s.c, p)
		}
	}
	if incomplete {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}

func printSync(c *console.Console, p skillsync.Plan) {
	c.Printf("%s", c.Style.Bold(console.OneLine(p.Dir)))
	if p.Agent != "" {
		c.Printf("  skills of %s", console.OneLine(p.Agent))
	}
	c.Printf("\n")
	same := 0
	for _, s := range p.Skills {
		switch s.State {
		case skillsync.Same:
			same++
		case skillsync.LeftAlone:
			c.Printf("  %s %s: %s was edited or is not from sync; propose the edit, or move the file away\n", c.Style.Bad("left alone"), s.Name, console.OneLine(strings.Join(s.InWay, ", ")))
		default:
			c.Printf("  %-10s %s\n", s.State, s.Name)
		}
	}
	for _, l := range p.LeftOut {
		c.Printf("  %-10s %s: %s\n", "left out", l.Name, console.OneLine(l.Why))
	}
	if same > 0 {
		c.Printf("  %s as they should be\n", console.Plural(same, "skill"))
	}
	limit := "without a limit"
	if p.Listing.Budget > 0 {
		limit = fmt.Sprintf("of %d", p.Listing.Budget)
	}
	if p.Listing.Others > 0 {
		limit += fmt.Sprintf("; other skills in the folder take %d more", p.Listing.Others)
	}
	if len(p.Restart) > 0 {
		c.Printf("  %s %s, which sees the change only then\n", c.Style.Warn("restart"), console.Words(p.Restart))
	}
	c.Printf("  their list takes %d characters of each prompt, %s\n", p.Listing.Used, limit)
}
