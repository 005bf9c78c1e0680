package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/format/schema"
)

func newSchema(c *console) *cobra.Command {
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
				return c.schemaKinds()
			}
			return runSchema(c, args[0])
		},
	}
}

func (c *console) schemaKinds() error {
	if c.json {
		return c.emit(schema.Kinds())
	}
	c.printf("%s\n", strings.Join(schema.Kinds(), "\n"))
	return nil
}

func runSchema(c *console, kind string) error {
	text, ok := schema.Get(kind)
	if !ok {
		return &failure{code: exitUsage, err: fmt.Errorf("no kind of file is called %q", kind), hint: "the kinds are " + strings.Join(schema.Kinds(), ", ")}
	}
	if c.json {
		return c.emit(json.RawMessage(text))
	}
	c.printf("%s\n", strings.TrimRight(string(text), "\n"))
	return nil
}
