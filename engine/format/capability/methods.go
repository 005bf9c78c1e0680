package capability

import (
	"errors"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// Method is a method of a server, which its protocol calls a tool. Input is its JSON Schema; nil if it has none.
type Method struct {
	Name        string         `yaml:"name" json:"name"`
	Description string         `yaml:"description,omitempty" json:"description"`
	Input       map[string]any `yaml:"input,omitempty" json:"input,omitempty"`
}

// methodList is a methods.yaml.
type methodList struct {
	Methods []Method `yaml:"methods"`
}

// parseMethods reads a methods.yaml.
func parseMethods(file string, src []byte) ([]Method, diag.List) {
	var list methodList
	doc, out := strictyaml.Parse(file, src, 1, strictyaml.DefaultLimits())
	if out.HasErrors() {
		return nil, out
	}
	doc.Decode(&list, &out)
	seen := map[string]bool{"": true}
	for i, m := range list.Methods {
		key := names.Fold(m.Name) // a call may spell it in any of these ways
		if seen[key] {
			out.Errorf(RuleRecordValue, doc.Pos("methods", i), "give each method a name of its own, which differs in more than case, - and _", "a method without a name, or with that of another one")
		}
		seen[key] = true
	}
	if len(list.Methods) == 0 {
		out.Errorf(RuleRecordField, doc.Pos("methods"), "list them, or remove the file", "no method is listed")
	}
	return list.Methods, out
}

// WriteMethods writes a methods.yaml, in the order of methods. A list that could not be read back is an error.
func WriteMethods(methods []Method) ([]byte, error) {
	text, err := strictyaml.Marshal(methodList{methods})
	if err != nil {
		return nil, err //nolint:wrapcheck // nothing to add
	}
	if _, found := parseMethods(MethodsFile, text); found.HasErrors() {
		return nil, errors.New(found[0].String())
	}
	return text, nil
}
