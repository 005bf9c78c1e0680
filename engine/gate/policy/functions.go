package policy

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/condition"
)

// Functions lists the functions that conditions have beside those of CEL.
func Functions() []condition.Function {
	return []condition.Function{
		{
			Name: "touches", Args: 1, Usage: `touches("soul/**")`,
			Doc: "Whether a changed file fits the pattern: `*` stands for anything within a segment of a path, `**` for any number of segments.",
			Call: func(facts condition.Facts, args []string) (bool, error) {
				if err := checkGlob(args[0]); err != nil {
					return false, fmt.Errorf("the pattern %q: %w", args[0], err)
				}
				return touches(changedPaths(facts), args[0]), nil
			},
			Cost: func(facts condition.Facts) int { return len(changedPaths(facts)) },
			Check: func(_ int, text string) error {
				if text == "" || checkGlob(text) != nil {
					return fmt.Errorf("broken pattern %q", text)
				}
				return nil
			},
		},
		{
			Name: "at_least", Args: 2, Ordered: true, Usage: `at_least(risk, "high")`,
			Doc: "Whether a tier, a class or a mode is the second one or a higher one. Of modes, `autonomous` is the highest.",
			Call: func(_ condition.Facts, args []string) (bool, error) {
				for _, order := range [][]string{Tier(0).Values(), Class(0).Values(), Mode("").Values()} {
					have, want := slices.Index(order, args[0]), slices.Index(order, args[1])
					if have >= 0 && want >= 0 {
						return have >= want, nil
					}
				}
				return false, fmt.Errorf("%q and %q are not two tiers, classes or modes", args[0], args[1])
			},
		},
	}
}

func touches(paths []PathChange, pattern string) bool {
	return slices.ContainsFunc(paths, func(p PathChange) bool { return globMatch(pattern, p.Path) })
}

// reached are the changed paths, and those of the skills in whose place a changed one is linked.
func (f Facts) reached() []PathChange {
	out := slices.Clip(f.Paths)
	for _, c := range f.Capabilities {
		if c.StandsIn != "" {
			out = append(out, PathChange{Path: c.StandsIn + "/SKILL.md", Op: Modified})
		}
	}
	return out
}
