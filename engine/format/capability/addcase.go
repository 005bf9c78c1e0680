package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// NewCase is a case to add to a tests.yaml. Input and Expect are plain data.
type NewCase struct {
	Name   string         `yaml:"name"`
	Input  any            `yaml:"input"`
	Expect map[string]any `yaml:"expect"`
	Tags   []string       `yaml:"tags,omitempty"`
	Reason string         `yaml:"reason,omitempty"`
}

// Tags of a case made from a failed call.
const (
	TagRegression = "regression"
	TagProduction = "from-production"
)

// AddCase appends a case to a tests.yaml and keeps all other bytes; src is nil if there
// is no file. The diagnostics are about the resulting suite. It returns an error if an
// equal case exists, or if nothing can be appended to the file as it is written.
func AddCase(file string, src []byte, c NewCase) ([]byte, diag.List, error) {
	written, err := strictyaml.Marshal(struct {
		Cases []NewCase `yaml:"cases"`
	}{[]NewCase{c}})
	if err != nil {
		return nil, nil, fmt.Errorf("write the case: %w", err)
	}
	if src == nil {
		_, found := ParseSuite(file, written)
		return written, found, nil
	}
	was, found := ParseSuite(file, src)
	if found.HasErrors() {
		return nil, found, nil
	}
	added, _ := ParseSuite(file, written)
	for _, there := range was.Cases {
		if len(added.Cases) > 0 && sameTest(there, added.Cases[0]) {
			return nil, nil, fmt.Errorf("the case %q tests that already", there.Name)
		}
	}
	out := append(bytes.TrimRight(src, " \n"), '\n')
	out = append(out, indented(written, max(0, was.Cases[len(was.Cases)-1].Pos.Column-3))...)
	is, found := ParseSuite(file, out)
	if more := CompareSuites(was, is); len(is.Cases) != len(was.Cases)+1 && !found.HasErrors() || more.HasErrors() || hasSyntax(found) {
		return nil, nil, errors.New("the list below cases: must be a block list at the end of the file to append a case")
	}
	return out, found, nil
}

// sameTest reports whether two cases have the same input and expectation.
func sameTest(a, b Case) bool {
	text := func(c Case) any {
		t, err := json.Marshal([]any{c.Input, c.Expect.raw})
		if err != nil {
			return c
		}
		return string(t)
	}
	return reflect.DeepEqual(text(a), text(b))
}

// hasSyntax reports whether the diagnostics include a YAML syntax error.
func hasSyntax(found diag.List) bool {
	for _, d := range found {
		if d.Severity == diag.Error && strings.HasPrefix(d.Rule, "yaml-") {
			return true
		}
	}
	return false
}

// indented returns the list below cases: with its dashes in the given column, counted
// from 0.
func indented(written []byte, column int) []byte {
	lines := strings.Split(strings.TrimSuffix(string(written), "\n"), "\n")[1:]
	have := len(lines[0]) - len(strings.TrimLeft(lines[0], " "))
	var b strings.Builder
	for _, l := range lines {
		if l != "" {
			b.WriteString(strings.Repeat(" ", column) + l[min(have, len(l)):])
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// PlainNumbers converts the numbers of a JSON value to integers if possible, else to
// floating-point numbers, as YAML has them.
func PlainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // the form is valid; a number out of range becomes infinite and is refused when written
		return f
	case map[string]any:
		for k, e := range v {
			v[k] = PlainNumbers(e)
		}
	case []any:
		for i, e := range v {
			v[i] = PlainNumbers(e)
		}
	}
	return v
}
