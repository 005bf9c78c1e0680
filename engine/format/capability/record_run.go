package capability

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// run checks run: as far as the record alone allows.
func (c recordCheck) run() {
	run := c.r.Run
	if run == nil {
		if c.r.Kind == KindTool && c.r.Status != Researching && c.r.Status != Retired && c.r.Status != "" {
			c.refuse(RuleRecordRun, "add run: with runtime and entry, or set status: researching",
				fmt.Sprintf("a tool without run is a specification and cannot be %s", c.r.Status), "status")
		}
		return
	}
	switch {
	case run.Runtime == "":
		if c.doc.Root().Get("run").Get("runtime").Kind() <= strictyaml.Null {
			c.refuse(RuleRecordRun, "add runtime:", "run has no runtime", "run")
		}
	case c.r.Kind == KindSkill || c.r.Kind == KindAgent:
		c.refuse(RuleRecordRun, "remove run:, or use kind: tool", fmt.Sprintf("a capability of kind %s does not run", c.r.Kind), "run")
	case run.Runtime.IsMCP() != (c.r.Kind == KindMCP) && c.r.Kind != "":
		c.refuse(RuleRecordRun, "use mcp-stdio or mcp-http for kind mcp, and only there",
			fmt.Sprintf("runtime %s does not fit kind %s", run.Runtime, c.r.Kind), "run", "runtime")
	case run.Runtime == Starlark && c.r.Layer == LayerBase:
		c.refuse(RuleRecordRun, "use layer: composed", "Starlark composes other tools, so its layer is not base", "layer")
	case run.Runtime != Starlark && c.r.Layer == LayerComposed:
		c.refuse(RuleRecordRun, "use layer: base, or runtime: starlark", fmt.Sprintf("a program in %s reaches no other tool, so its layer is not composed", run.Runtime), "layer")
	}
	c.entry(run)
}

func (c recordCheck) entry(run *Run) {
	switch {
	case run.Entry == "" && !run.Runtime.IsMCP():
		c.refuse(RuleRecordRun, "add entry: "+ScriptsDir+"/main.*", "run has no entry", "run")
	case run.Entry == "":
	case !names.IsPath(run.Entry) || !strings.HasPrefix(run.Entry, ScriptsDir+"/"):
		c.refuse(RuleRecordRun, "name a file below "+ScriptsDir+"/", fmt.Sprintf("entry %q is no path below %s/", clip(run.Entry), ScriptsDir), "run", "entry")
	}
}

// schemas compiles input and output, and checks the examples against them.
func (c recordCheck) schemas() {
	if c.r.Kind == KindTool && c.doc.Root().Get("input").Kind() <= strictyaml.Null {
		c.refuse(RuleRecordField, "add input: {type: object, properties: {…}}", "a tool needs a schema of its input", "input")
	}
	input, output := c.schema("input", c.r.Input), c.schema("output", c.r.Output)
	if c.r.Input != nil && c.r.Input["type"] != "object" {
		c.refuse(RuleRecordSchema, "write type: object", "the input of a capability is an object", "input")
	}
	for i, e := range c.r.Examples {
		node := c.doc.Root().Get("examples").Index(i)
		if node.Get("input").Kind() == strictyaml.Absent {
			c.refuse(RuleExample, "add input:", "the example has no input", "examples", i)
			continue
		}
		c.example(input, e.Input, "input", i)
		if node.Get("output").Kind() != strictyaml.Absent {
			c.example(output, e.Output, "output", i)
		}
	}
}

func (c recordCheck) schema(key string, schema map[string]any) *Schema {
	if schema == nil {
		return nil
	}
	compiled, err := compileSchema(schema, c.patterns)
	if err != nil {
		fix := "keep every $ref inside the schema; see json-schema.org/draft/2020-12"
		if strings.Contains(err.Error(), "valid regex") {
			fix = "write each pattern in RE2, which has neither look-around nor references back: github.com/google/re2/wiki/Syntax"
		}
		c.refuse(RuleRecordSchema, fix, fmt.Sprintf("%s is no JSON Schema: %s", key, err), key)
		return nil
	}
	return compiled
}

func (c recordCheck) example(schema *Schema, value any, key string, i int) {
	if schema == nil {
		return
	}
	if err := schema.checkWithin(value, c.patterns); err != nil {
		c.refuse(RuleExample, "change the example or the schema", fmt.Sprintf("the example's %s does not fit the schema: %s", key, err), "examples", i, key)
	}
}
