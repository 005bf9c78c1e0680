package composed

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// operator returns the token for the text that rewrite wrote.
func operator(text starlark.Value) syntax.Token {
	s, _ := starlark.AsString(text)
	for t := syntax.PLUS; t <= syntax.NEQ; t++ {
		if t.String() == s {
			return t
		}
	}
	if s == syntax.NOT_IN.String() {
		return syntax.NOT_IN
	}
	return syntax.IN
}

// binary returns x op y, measured.
func binary(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	m := meterOf(t)
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		if _, err := m.walk(t, x, y); err != nil {
			return nil, err
		}
		is, err := starlark.Compare(op, x, y)
		return starlark.Bool(is), err
	case syntax.IN, syntax.NOT_IN:
		if err := m.lookup(t, x, y); err != nil {
			return nil, err
		}
		return starlark.Binary(op, x, y)
	}
	if err := m.operands(t, op, x, y); err != nil {
		return nil, err
	}
	z, err := m.combined(op, x, y)
	if err != nil {
		return nil, err
	}
	return z, m.made(z)
}

// lookup measures x in y.
func (m *meter) lookup(t *starlark.Thread, x, y starlark.Value) error {
	_, isDict := y.(*starlark.Dict)
	var err error
	if isDict || isRange(y) {
		_, err = m.walk(t, x)
	} else {
		_, err = m.walk(t, x, y)
	}
	return err
}

func isRange(v starlark.Value) bool { return v.Type() == "range" }

// operands refuses an operation whose result would be too large.
func (m *meter) operands(t *starlark.Thread, op syntax.Token, x, y starlark.Value) error {
	switch op {
	case syntax.PLUS, syntax.PIPE:
		if bothNumbers(x, y) {
			return nil
		}
		return m.room(shallow(x) + shallow(y))
	case syntax.STAR:
		return m.product(x, y)
	case syntax.PERCENT:
		if format, ok := x.(starlark.String); ok {
			w, err := m.walk(t, y)
			if err != nil {
				return err
			}
			_, isMapping := y.(*starlark.Dict)
			return m.filled(string(format), "%", w.bytes, isMapping)
		}
	}
	return nil
}

func bothNumbers(x, y starlark.Value) bool {
	number := func(v starlark.Value) bool {
		switch v.(type) {
		case starlark.Int, starlark.Float:
			return true
		}
		return false
	}
	return number(x) && number(y)
}

// product measures x * y: repetition, or the product of numbers.
func (m *meter) product(x, y starlark.Value) error {
	n, ok := y.(starlark.Int)
	if !ok {
		n, ok = x.(starlark.Int)
		x = y
	}
	if !ok || bothNumbers(x, n) {
		return nil
	}
	times, small := n.Int64()
	if !small || times > 1<<40 {
		return limit("something repeated more often than can be counted")
	}
	if times <= 0 {
		return nil
	}
	if s, isText := x.(starlark.String); isText && int64(len(s))*times > maxText {
		return limit("a text of %d bytes, more than %d", int64(len(s))*times, maxText)
	}
	return m.room(shallow(x) * times)
}

// filled measures a format whose values take bytes as text. again reports that one value
// may be inserted at several places.
func (m *meter) filled(format, mark string, bytes int64, again bool) error {
	if again {
		bytes *= int64(max(1, strings.Count(format, mark)))
	}
	if most := int64(len(format)) + bytes; most > maxText {
		return limit("a text that may have %d bytes, more than %d", most, maxText)
	}
	return nil
}

// inplace returns the x of x op= y: lists and dictionaries are modified, anything else is
// new.
func inplace(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	m := meterOf(t)
	switch x := x.(type) {
	case *starlark.List:
		if from, ok := y.(starlark.Iterable); ok && op == syntax.PLUS {
			if err := m.spend(shallow(y)); err != nil {
				return nil, err
			}
			return x, extend(x, from)
		}
	case *starlark.Dict:
		if from, ok := y.(*starlark.Dict); ok && op == syntax.PIPE {
			if err := m.spend(shallow(y)); err != nil {
				return nil, err
			}
			return x, m.fill(x, from)
		}
	}
	return binary(t, op, x, y)
}

func extend(x *starlark.List, from starlark.Iterable) error {
	if other, same := from.(*starlark.List); same && other == x { // it must not be read while it grows
		from = starlark.NewList(elements(x))
	}
	iter := from.Iterate()
	defer iter.Done()
	var e starlark.Value
	for iter.Next(&e) {
		if err := x.Append(e); err != nil {
			return err
		}
	}
	return nil
}

func elements(x *starlark.List) []starlark.Value {
	out := make([]starlark.Value, x.Len())
	for i := range out {
		out[i] = x.Index(i)
	}
	return out
}

// augment performs x[i] op= y.
func augment(t *starlark.Thread, op syntax.Token, x, i, y starlark.Value) error {
	if _, err := meterOf(t).walk(t, i); err != nil {
		return err
	}
	switch x := x.(type) {
	case *starlark.Dict:
		old, found, err := x.Get(i)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("key %s not in dict", clip(i.String()))
		}
		z, err := inplace(t, op, old, y)
		if err != nil {
			return err
		}
		return x.SetKey(i, z)
	case *starlark.List:
		at, err := starlark.AsInt32(i)
		if err != nil {
			return err
		}
		if at < 0 {
			at += x.Len()
		}
		if at < 0 || at >= x.Len() {
			return fmt.Errorf("list index %s out of range: it has %d elements", i, x.Len())
		}
		z, err := inplace(t, op, x.Index(at), y)
		if err != nil {
			return err
		}
		return x.SetIndex(at, z)
	}
	return fmt.Errorf("%s value does not support item assignment", x.Type())
}
