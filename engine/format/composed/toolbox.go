package composed

import (
	"context"
	"errors"
	"fmt"

	"go.starlark.net/starlark"
)

// toolsName is the name in calls of tools: tools.<name>(…).
const toolsName = "tools"

// space is a value that only has attributes.
type space struct {
	name string
	attr func(name string) (starlark.Value, error)
}

func (s space) String() string                           { return s.name }
func (s space) Type() string                             { return s.name }
func (s space) Freeze()                                  {}
func (s space) Truth() starlark.Bool                     { return true }
func (s space) Hash() (uint32, error)                    { return 0, fmt.Errorf("unhashable: %s", s.name) }
func (s space) AttrNames() []string                      { return nil }
func (s space) Attr(name string) (starlark.Value, error) { return s.attr(name) }

// environment returns the predeclared values of a program: the guards, json and tools.
func environment(ctx context.Context, m *meter, calls int, call Caller) starlark.StringDict {
	env := starlark.StringDict{}
	for name, f := range guards() {
		env[name] = starlark.NewBuiltin(name, f)
	}
	env[jsonName] = space{name: jsonName, attr: codec}
	left := calls
	env[toolsName] = space{name: toolsName, attr: func(name string) (starlark.Value, error) {
		return starlark.NewBuiltin(toolsName+"."+name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if left--; left < 0 {
				return nil, limit("it calls tools more than %d times", calls)
			}
			return m.call(ctx, t, name, args, kwargs, call)
		}), nil
	}}
	return env
}

// calledError is the error of a called tool.
type calledError struct {
	name string
	err  error
}

func (e *calledError) Error() string { return fmt.Sprintf("tools.%s: %s", e.name, clip(e.err.Error())) }
func (e *calledError) Unwrap() error { return e.err }

// call passes named arguments, or one dictionary, to a tool.
func (m *meter) call(ctx context.Context, t *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple, call Caller) (starlark.Value, error) {
	input := new(starlark.Dict)
	switch {
	case len(args) == 1 && len(kwargs) == 0:
		given, ok := args[0].(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf("tools.%s takes named arguments or one dictionary, not a %s", name, args[0].Type())
		}
		input = given
	case len(args) > 0:
		return nil, fmt.Errorf("tools.%s takes named arguments or one dictionary", name)
	default:
		for _, pair := range kwargs {
			if err := input.SetKey(pair[0], pair[1]); err != nil {
				return nil, err
			}
		}
	}
	data, err := m.encode(t, input)
	if err != nil {
		return nil, fmt.Errorf("the input of tools.%s: %w", name, err)
	}
	answer, err := call(ctx, name, data)
	if err != nil {
		return nil, &calledError{name, err}
	}
	v, err := m.decode(answer)
	if err != nil {
		return nil, fmt.Errorf("the answer of tools.%s: %w", name, err)
	}
	return v, nil
}

// codec returns json.encode and json.decode.
func codec(name string) (starlark.Value, error) {
	switch name {
	case "encode":
		return starlark.NewBuiltin("json.encode", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var v starlark.Value
			if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &v); err != nil {
				return nil, err
			}
			m := meterOf(t)
			data, err := m.encode(t, v)
			if err != nil {
				return nil, err
			}
			text := starlark.String(data)
			return text, m.made(text)
		}), nil
	case "decode":
		return starlark.NewBuiltin("json.decode", func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var s string
			if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &s); err != nil {
				return nil, err
			}
			t.Steps += uint64(len(s) / 16)
			return meterOf(t).decode([]byte(s))
		}), nil
	}
	return nil, errors.New("json has encode and decode")
}
