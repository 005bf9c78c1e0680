package acquire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/snippet"
	"github.com/assent-dev/assent/engine/sandbox/runtime"
)

// Offer is a tool as it is handed over.
type Offer struct {
	// Name is any spelling of it.
	Name, Group, Description string
	// File is the name of the code's file: its ending selects the runtime.
	File string
	Code []byte
	// Payload and Schema are JSON objects; SchemaFile is the source of the schema.
	Payload, Schema []byte
	SchemaFile      string
}

// read checks all that can be checked before anything runs.
func (o Offer) read() (capability.Acquired, diag.List) {
	a := capability.Acquired{Group: o.Group, Description: o.Description, Code: string(o.Code), Name: snippet.Folded(o.Name)}
	var out diag.List
	if a.Name == "" || o.Name[0] >= '0' && o.Name[0] <= '9' { // a folder may be called so, a call may not
		_, found := names.FoldTool(o.Name)
		out.Add(found...)
	}
	rt, ok := runtime.Of(o.File)
	if !ok {
		out.Errorf(RuleInput, diag.Pos{File: o.File}, "hand over a file that ends in .py, .sh or .js; a tool composed of others: assent new tool NAME --runtime starlark",
			"nothing runs a file with this ending")
	}
	a.Runtime, a.Entry = capability.Runtime(rt.Name), capability.ScriptsDir+"/main"+path.Ext(o.File)
	var err error
	if a.Payload, err = object(o.Payload); err != nil {
		out.Errorf(RuleInput, diag.Pos{}, `hand over one JSON object, such as {"text": "…"}`, "the payload %v", err)
	}
	if a.Input, err = object(o.Schema); err != nil {
		out.Errorf(RuleInput, diag.Pos{File: o.SchemaFile}, fixSchema, "the schema %v", err)
	}
	if out.HasErrors() {
		return a, out
	}
	if text, _ := a.Input["description"].(string); strings.TrimSpace(a.Description) == "" {
		a.Description = text
	}
	return a, fits(a, o.SchemaFile)
}

const fixSchema = `write a JSON Schema of an object: {"type": "object", "required": […], "properties": {…}}`

// fits holds the payload against the schema.
func fits(a capability.Acquired, file string) diag.List {
	var out diag.List
	schema, err := capability.CompileSchema(a.Input)
	if err != nil {
		out.Errorf(RuleInput, diag.Pos{File: file}, "see json-schema.org/draft/2020-12", "the schema is none: %v", err)
		return out
	}
	if a.Input["type"] != "object" {
		out.Errorf(RuleInput, diag.Pos{File: file}, fixSchema, "the schema does not say that the input is an object, with type: object at its top")
		return out
	}
	if err := schema.Check(a.Payload); err != nil {
		out.Errorf(RuleInput, diag.Pos{}, "change the payload, or the schema", "the payload does not fit the schema: %v", err)
	}
	return out
}

// object reads one JSON object, with numbers as YAML has them.
func object(text []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("is no JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("is more than one JSON value")
	}
	m, ok := capability.PlainNumbers(v).(map[string]any)
	if !ok {
		return nil, errors.New("is no object")
	}
	return m, nil
}
