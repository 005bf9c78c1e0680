package capability

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/assent-dev/assent/engine/base/pattern"
)

// schemaCost is what the smallest schema costs, in steps of a pattern.Budget: 2 200 schemas within
// one schema, or 2 500 schemas, are what a file can have.
const schemaCost = 40

// Schema is a compiled JSON Schema, by default of version 2020-12. It is safe for
// concurrent use.
type Schema struct {
	compiled *jsonschema.Schema
}

// noLoader refuses every external schema: no network, no files.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("$ref %s points outside of this file, and external schemas are not loaded", clip(strings.TrimPrefix(url, "assent:///")))
}

// unusable describes the fault of a schema in one line.
func unusable(err error) error {
	var elsewhere *jsonschema.LoadURLError
	var invalid *jsonschema.SchemaValidationError
	switch {
	case errors.As(err, &elsewhere):
		return errors.New(oneLine(elsewhere.Err))
	case errors.As(err, &invalid):
		var why *jsonschema.ValidationError
		if errors.As(invalid.Err, &why) {
			return errors.New(strings.Join(faultTexts(why), "; "))
		}
	}
	return errors.New(oneLine(err))
}

// CompileSchema compiles a schema given as plain data (maps, lists, text, numbers,
// booleans). References may point only within the schema and to the standard
// meta-schemas.
func CompileSchema(schema any) (*Schema, error) { return compileSchema(schema, &pattern.Budget{}) }

func compileSchema(schema any, budget *pattern.Budget) (*Schema, error) {
	doc, err := plainJSON(schema)
	if err != nil {
		return nil, err
	}
	//defence:references-lead-where-they-say
	if key := dynamic(doc); key != "" {
		return nil, fmt.Errorf("it uses %s, which is not followed; use $ref", key)
	}
	n := mappings(doc) // the compiler's time is quadratic in their number
	if err := budget.Spend(schemaCost + n*n/schemaCost); err != nil {
		return nil, err //nolint:wrapcheck // says that it is the file's
	}
	const here = "assent:///schema.json"
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return budget.Compile(text) })
	if err := c.AddResource(here, doc); err != nil {
		return nil, unusable(err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, unusable(err)
	}
	if at := loop(compiled); at != "" {
		return nil, fmt.Errorf("$ref %s refers back to itself, so no value can be validated", clip(at))
	}
	if heavy(compiled) {
		return nil, fmt.Errorf("it expands to more than %d schemas when its references are followed", maxWeight)
	}
	return &Schema{compiled: compiled}, nil
}

// mappings counts the mappings in plain data.
func mappings(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n = 1
		for _, e := range v {
			n += mappings(e)
		}
	case []any:
		for _, e := range v {
			n += mappings(e)
		}
	}
	return n
}

// Check returns an error that says in one line why value, plain data, does not fit the
// schema; nil if it fits.
func (s *Schema) Check(value any) error { return s.checkWithin(value, &pattern.Budget{}) }

// checkWithin is Check for one of several values of a file, which share a budget.
func (s *Schema) checkWithin(value any, budget *pattern.Budget) error {
	doc, err := plainJSON(value)
	if err != nil {
		return err
	}
	budget.Allow(perValue * values(doc))
	//defence:checks-have-a-budget
	if err := (visits{budget, map[*jsonschema.Schema][]*jsonschema.Schema{}}).count(s.compiled, doc); err != nil {
		return err
	}
	if err := s.compiled.Validate(doc); err != nil {
		return errors.New(oneLine(err))
	}
	return nil
}

// plainJSON converts numbers to the form that the validator compares exactly. The validator writes
// out all digits of a number, and breaks on more than a million of them: a number beyond what a
// float64 holds is refused.
func plainJSON(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("not expressible as JSON: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err //nolint:wrapcheck // says that it is no JSON
	}
	return doc, moderate(doc)
}

const (
	// maxDigits bounds the digits of a number, maxExponent its exponent of ten.
	maxDigits   = 400
	maxExponent = 400
)

// moderate returns an error if a value holds a number beyond the bounds.
func moderate(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if err := moderate(e); err != nil {
				return err
			}
		}
	case []any:
		for _, e := range v {
			if err := moderate(e); err != nil {
				return err
			}
		}
	case json.Number:
		mantissa, exponent, found := strings.Cut(strings.ToLower(v.String()), "e")
		n, err := strconv.Atoi(exponent)
		if len(mantissa) > maxDigits || found && (err != nil || n > maxExponent || n < -maxExponent) {
			return fmt.Errorf("the number %s is too large or too long: at most %d digits, and exponents from -%d to %d", clip(v.String()), maxDigits, maxExponent, maxExponent)
		}
	}
	return nil
}

// oneLine renders the validator's tree of causes as its leaves.
func oneLine(err error) string {
	text := strings.ReplaceAll(err.Error(), "assent:///schema.json", "")
	lines := strings.Split(text, "\n")
	if len(lines) > 1 {
		lines = lines[1:] // the first line says only that validation failed
	}
	var causes []string
	for _, l := range lines {
		if l = strings.TrimLeft(l, " -"); l != "" {
			causes = append(causes, l)
		}
	}
	const limit = 300
	out := strings.Join(causes, "; ")
	if r := []rune(out); len(r) > limit {
		out = string(r[:limit]) + "…"
	}
	return out
}
