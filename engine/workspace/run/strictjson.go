package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
)

// maxDepth bounds how deep JSON may be nested.
const maxDepth = 8

// decodeStrictly reads one JSON object with known fields, each once, and nothing after it. Faults
// are returned with their place.
func decodeStrictly(file string, src []byte, into any) diag.List {
	var ds diag.List
	fail := func(at int64, fix, format string, args ...any) diag.List {
		ds.Errorf(RuleResult, place(file, src, at), fix, format, args...)
		return ds
	}
	const shape = "write one JSON object; assent schema task-result describes it"
	switch {
	case len(src) > MaxResult:
		return fail(0, "shorten it; what is long is delivered as a file", "the result has %d bytes, the limit is %d", len(src), MaxResult)
	case !utf8.Valid(src):
		return fail(0, "write it in UTF-8", "the result is not text")
	}
	if at, twice, err := eachOnce(src); err != nil {
		return fail(at, shape, "broken JSON: %v", err)
	} else if twice != "" {
		return fail(at, "write it once", "the field %q occurs twice", clip(twice))
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return fail(wrong.Offset, "write a value of the type that the schema names: assent schema task-result", "%s cannot be a %s", name(wrong.Field), wrong.Value)
	case err != nil:
		return fail(dec.InputOffset(), "assent schema task-result lists the fields", "%v", err)
	}
	return ds
}

func name(field string) string {
	if field == "" {
		return "the result"
	}
	return field
}

// EachOnce finds a key that an object of a JSON value has twice. The error says what is wrong with the JSON.
func EachOnce(src []byte) (twice string, err error) {
	_, twice, err = eachOnce(src)
	return twice, err
}

// eachOnce walks a JSON value and finds a key that its object has twice.
func eachOnce(src []byte) (at int64, twice string, err error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	type open struct {
		keys  map[string]bool // nil in an array
		value bool            // a value comes next, and no key
	}
	var stack []open
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) && len(stack) == 0 && dec.InputOffset() > 0 {
			return 0, "", nil
		}
		if err != nil {
			return dec.InputOffset(), "", fmt.Errorf("%w", err)
		}
		if n := len(stack); n > 0 && stack[n-1].keys != nil {
			if key, isKey := token.(string); isKey && !stack[n-1].value {
				if stack[n-1].keys[key] {
					return dec.InputOffset(), key, nil
				}
				stack[n-1].keys[key], stack[n-1].value = true, true
				continue
			}
			stack[n-1].value = false
		}
		switch token {
		case json.Delim('{'):
			stack = append(stack, open{keys: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, open{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
		if len(stack) > maxDepth {
			return dec.InputOffset(), "", fmt.Errorf("nested deeper than %d", maxDepth)
		}
		if len(stack) == 0 {
			if rest := bytes.TrimSpace(src[dec.InputOffset():]); len(rest) > 0 {
				return dec.InputOffset(), "", errors.New("there is data after the value")
			}
			return 0, "", nil
		}
	}
}

// place turns an offset into line and column.
func place(file string, src []byte, at int64) diag.Pos {
	before := src[:min(max(at, 0), int64(len(src)))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return diag.Pos{File: file, Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(before[line:]) + 1}
}
