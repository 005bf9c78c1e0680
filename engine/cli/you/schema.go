package you

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/schema"
)

func newSchema(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "The JSON Schema of a kind of file, for editors",
		Long: `Schema prints the JSON Schema of one kind of file, so that an editor completes and
checks it. For Markdown files it describes the front matter. Without KIND it lists
the kinds.`,
		Example: "  assent schema capability > capability.schema.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printKinds(c)
			}
			return runSchema(c, args[0])
		},
	}
}

func printKinds(c *console.Console) error {
	if c.JSON {
		return c.Emit(schema.Kinds())
	}
	c.Printf("%s\n", strings.Join(schema.Kinds(), "\n"))
	return nil
}

func runSchema(c *console.Console, kind string) error {
	text, ok := schema.Get(kind)
	if !ok {
		return &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("no kind of file is called %q", kind), Hint: "the kinds are " + strings.Join(schema.Kinds(), ", ")}
	}
	if c.JSON {
		return c.Emit(json.RawMessage(text))
	}
	c.Printf("%s\n", strings.TrimRight(string(text), "\n"))
	return nil
}
