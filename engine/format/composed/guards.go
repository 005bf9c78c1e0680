package composed

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

type builtinFunc = func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error)

// guards returns the functions that rewrite inserts, and measured versions of the
// builtins under their usual names.
func guards() map[string]builtinFunc {
	out := map[string]builtinFunc{
		binaryName: func(t *starlark.Thread, _ *starlark.Builtin, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return binary(t, operator(a[0]), a[1], a[2])
		},
		inplaceName: func(t *starlark.Thread, _ *starlark.Builtin, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return inplace(t, operator(a[0]), a[1], a[2])
		},
		augmentName: func(t *starlark.Thread, _ *starlark.Builtin, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return starlark.None, augment(t, operator(a[0]), a[1], a[2], a[3])
		},
		keyName: func(t *starlark.Thread, _ *starlark.Builtin, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			_, err := meterOf(t).walk(t, a[0])
			return a[0], err
		},
		madeName: func(t *starlark.Thread, _ *starlark.Builtin, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return a[0], meterOf(t).made(a[0])
		},
		attrName: func(t *starlark.Thread, _ *starlark.Builtin, a starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return attribute(a[0], string(a[1].(starlark.String)))
		},
		"getattr": getattr,
	}
	for _, name := range []string{
		"abs", "any", "all", "bytes", "chr", "dict", "enumerate", "fail", "float", "hash", "int", "list", "max", "min", "ord",
		"print", "repr", "reversed", "sorted", "str", "tuple", "zip",
	} {
		out[name] = measured(name, nil, starlark.Universe[name].(*starlark.Builtin))
	}
	return out
}

// attribute returns v.name. Methods are measured when they are called.
func attribute(v starlark.Value, name string) (starlark.Value, error) {
	if x, ok := v.(starlark.HasAttrs); ok {
		found, err := x.Attr(name)
		var none starlark.NoSuchAttrError
		if err != nil && !errors.As(err, &none) {
			return nil, err
		}
		if b, isMethod := found.(*starlark.Builtin); isMethod && b.Receiver() != nil {
			return starlark.NewBuiltin(name, measured(name, v, b)), nil
		}
		if err == nil && found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%s has no .%s field or method", v.Type(), clip(name))
}

func getattr(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var v, fallback starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &v, &name, &fallback); err != nil {
		return nil, err
	}
	found, err := attribute(v, name)
	if err != nil && fallback != nil {
		return fallback, nil
	}
	return found, err
}

// measured wraps b: it estimates the cost before the call and charges for the answer.
func measured(name string, receiver starlark.Value, b *starlark.Builtin) builtinFunc {
	return func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		m := meterOf(t)
		given := append(starlark.Tuple{}, args...)
		for _, pair := range kwargs {
			given = append(given, pair[1])
		}
		if err := m.before(t, name, receiver, given); err != nil {
			return nil, err
		}
		call := b.CallInternal
		if _, ofDict := receiver.(*starlark.Dict); name == "update" && ofDict || name == "dict" && receiver == nil {
			call = func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				return m.inParts(t, receiver, b, args, kwargs)
			}
		}
		out, err := call(t, args, kwargs)
		if err != nil || out == receiver {
			return out, err
		}
		if lazy, ok := out.(starlark.Iterable); ok && receiver != nil && strings.HasSuffix(name, "s") {
			out = settled(name, lazy)
		}
		return out, m.made(out)
	}
}

// settled turns lazy elements of a text into a list, since a lazy sequence cannot be
// measured later.
func settled(name string, lazy starlark.Iterable) starlark.Value {
	switch name {
	case "elems", "elem_ords", "codepoints", "codepoint_ords":
	default:
		return lazy
	}
	iter := lazy.Iterate()
	defer iter.Done()
	var all []starlark.Value
	var v starlark.Value
	for iter.Next(&v) {
		all = append(all, v)
	}
	return starlark.NewList(all)
}

// before measures a call of a builtin or method.
func (m *meter) before(t *starlark.Thread, name string, receiver starlark.Value, args starlark.Tuple) error {
	switch name {
	case "append", "insert", "clear", "values", "keys", "items", "popitem":
		if receiver != nil { // methods of lists and dictionaries that look at no element
			return m.room(shallow(receiver))
		}
	case "any", "all":
		return m.room(m.elements(t, args))
	case "list", "tuple", "reversed", "enumerate", "zip", "extend", "bytes":
		return m.spend(m.elements(t, args))
	}
	w, err := m.walk(t, args...)
	if err != nil {
		return err
	}
	switch r := receiver.(type) {
	case starlark.String:
		return m.method(t, name, string(r), args, w)
	case starlark.Bytes:
		return m.method(t, name, string(r), args, w)
	case *starlark.List: // index and remove compare
		_, err := m.walk(t, r)
		return err
	case *starlark.Dict:
		if name == "update" {
			return m.spend(m.elements(t, args))
		}
		return nil
	}
	switch name {
	case "int":
		return shortNumber(args)
	case "dict":
		return m.spend(m.elements(t, args))
	case "str", "repr", "print", "fail":
		return m.filled("", "", w.bytes, false)
	}
	return nil
}

// elements measures one pass through the elements of the arguments.
func (m *meter) elements(t *starlark.Thread, args starlark.Tuple) int64 {
	var all int64
	for _, a := range args {
		all += shallow(a)
		if s, ok := a.(starlark.Sequence); ok {
			t.Steps += uint64(length(s))
		}
	}
	return all
}

// shortNumber refuses to parse a number that would take long.
func shortNumber(args starlark.Tuple) error {
	for _, a := range args {
		if s, ok := a.(starlark.String); ok && len(s) > maxBits/3 {
			return limit("a whole number of more than %d bits", maxBits)
		}
	}
	return nil
}

// method measures a method of a text.
func (m *meter) method(t *starlark.Thread, name, s string, args starlark.Tuple, w walked) error {
	t.Steps += uint64(len(s) / 256)
	switch name {
	case "format":
		marks := strings.Count(s, "{")
		return m.filled(s, "{", w.bytes, strings.Count(s, "{}") < marks)
	case "join":
		return m.filled("", "", w.bytes+w.nodes*int64(len(s)), false)
	case "replace":
		if len(args) < 2 {
			return nil
		}
		old, _ := starlark.AsString(args[0])
		by, _ := starlark.AsString(args[1])
		return m.filled("", "", int64(len(s))+int64(strings.Count(s, old))*int64(len(by)), false)
	case "elems", "elem_ords", "codepoints", "codepoint_ords":
		return m.room(elementBytes * int64(len(s)))
	case "split", "rsplit":
		if sep, ok := first(args).(starlark.String); ok && sep != "" {
			return m.room(elementBytes * int64(strings.Count(s, string(sep))))
		}
		return m.room(elementBytes * int64(len(s)) / 2)
	case "splitlines":
		return m.room(elementBytes * int64(strings.Count(s, "\n")))
	}
	return nil
}

func first(args starlark.Tuple) starlark.Value {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}
