package inforce

import (
	"cmp"
	"fmt"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// utilityJSON is the answer of assent stats --utility.
type utilityJSON struct {
	Utility []trial.Utility `json:"utility"`
	// Worse are worth improving.
	Worse []trial.Worse `json:"worse"`
	// Unfit are skills that one model may need in another form.
	Unfit    []trial.Unfit `json:"unfit"`
	Problems []string      `json:"problems"`
}

func runUtility(c *console.Console, cur workspace.Session, o statsOptions, name string) error {
	if o.since != "" || o.by != "" {
		return console.Usage("--utility counts the last missions: leave out --since and --by")
	}
	if name != "" {
		f, err := console.CapabilityNamed(cur, name)
		if err != nil {
			return err
		}
		name = names.Fold(f.Name)
	}
	all, err := cur.Capabilities.Entries(func(e index.Entry) bool { return name == "" || names.Fold(e.Name) == name })
	if err != nil {
		return fmt.Errorf("read the capabilities in force: %w", err)
	}
	found, unfit, unread := gc.Utilities(cur, all)
	if found == nil {
		return unread
	}
	var folders []capability.Folder
	for _, e := range all {
		folders = append(folders, e.Folder)
	}
	worse, unreadCalls := gc.Worse(cur, folders...)
	if worse == nil {
		return unreadCalls
	}
	unread = cmp.Or(unread, unreadCalls) // both read the same journals
	if c.JSON {
		out := utilityJSON{found, worse, unfit, []string{}}
		if unread != nil {
			out.Problems = append(out.Problems, unread.Error())
		}
		return c.Emit(out)
	}
	rows := [][]string{{"CAPABILITY", "UTILITY", "LIFT", "PAIRS", "BETTER", "WORSE", "E", "MISSIONS", "TOKENS", "PENALTY", ""}}
	for _, u := range found {
		rows = append(rows, []string{
			c.Style.Bold(console.OneLine(u.Capability)), fmt.Sprintf("%.4f", u.Utility), fmt.Sprintf("%+.3f", u.Lift), fmt.Sprint(u.Pairs), fmt.Sprint(u.Better), fmt.Sprint(u.Worse),
			fmt.Sprintf("%.3g", u.E), fmt.Sprintf("%d of %d", u.With, u.Missions), fmt.Sprintf("%.0f", u.Tokens), fmt.Sprintf("%g", u.Penalty), u.Verdict,
		})
	}
	c.Table(rows)
	for _, w := range worse {
		c.Printf("%s %s: %s\n", c.Style.Warn("worth improving:"), c.Style.Bold(console.OneLine(w.Capability)), console.OneLine(w.Sentence()))
		c.Field("next", "assent gap "+names.ShellWord(w.Capability)+" GOAL --improve")
	}
	for _, u := range unfit {
		c.Printf("%s %s: %s\n", c.Style.Warn("worth a variant:"), c.Style.Bold(console.OneLine(u.Capability)), console.OneLine(u.Sentence()))
		c.Field("next", "propose a skill with "+console.OneLine(fmt.Sprintf("implements: %s and models: [%s] in its capability.yaml", u.Capability, u.Model)))
	}
	if len(found) > 0 && found[0].Missions == 0 {
		c.Field("next", "no mission was recorded, and utility compares them: assent mission start --help")
	}
	if unread != nil {
		c.Complain("%s %s", c.Style.Warn("warning:"), console.OneLine(unread.Error()))
	}
	return nil
}
