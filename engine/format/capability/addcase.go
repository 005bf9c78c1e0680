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

// NewCase is a case that is to be added to a tests.yaml. Input and Expect are plain data.
type NewCase struct {
	Name   string         `yaml:"name"`
	Input  any            `yaml:"input"`
	Expect map[string]any `yaml:"expect"`
	Tags   []string       `yaml:"tags,omitempty"`
	Reason string         `yaml:"reason,omitempty"`
}

// The tags of a case that a failed call became.
const (
	TagRegression = "regression"
	TagProduction = "from-production"
)

// AddCase appends a case to a tests.yaml, of which every byte stays; src is nil where there
// is none. The diagnostics say what is wrong with the suite that it would be. The error is
// for a case that stands there already, and for a file that is written so that nothing can
// be added at its end.
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
			return nil, nil, fmt.Errorf("the case %q asks for that already", there.Name)
		}
	}
	out := append(bytes.TrimRight(src, " \n"), '\n')
	out = append(out, indented(written, max(0, was.Cases[len(was.Cases)-1].Pos.Column-3))...)
	is, found := ParseSuite(file, out)
	if more := CompareSuites(was, is); len(is.Cases) != len(was.Cases)+1 && !found.HasErrors() || more.HasErrors() || hasSyntax(found) {
		return nil, nil, errors.New("the file is not written as a plain list, so nothing can be added at its end; a list below cases has to be the last of it")
	}
	return out, found, nil
}

// sameTest reports whether two cases call with the same and ask for the same.
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

// hasSyntax reports whether a file could not be read as YAML.
func hasSyntax(found diag.List) bool {
	for _, d := range found {
		if d.Severity == diag.Error && strings.HasPrefix(d.Rule, "yaml-") {
			return true
		}
	}
	return false
}

// indented is the list below cases:, with its dashes in the given column from 0.
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

// PlainNumbers turns the numbers of a JSON value into integers where they are some, and
// else into floating-point numbers, as YAML has them.
func PlainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // by its shape; what is out of range is infinite, and refused when it is written
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
