package cli

import "github.com/spf13/cobra"

// commands lists every command under the heading that the help text shows.
func commands(c *console) []group {
	return []group{
		{"begin", "To begin with:", []*cobra.Command{newInit(c), newDemo(c)}},
		{"life", "The life of a proposal:", []*cobra.Command{
			newPropose(c), newStatus(c), newShow(c), newWhy(c), newReview(c), newMerge(c),
		}},
	}
}
