package composed

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// chunk is the number of entries that the library adds to a dictionary between two checks
// for interruption.
const chunk = 64

// combined returns x op y. It merges dictionaries itself, so that it can be interrupted.
func (m *meter) combined(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	one, is := x.(*starlark.Dict)
	other, both := y.(*starlark.Dict)
	if op != syntax.PIPE || !is || !both {
		return starlark.Binary(op, x, y)
	}
	out := starlark.NewDict(one.Len())
	if err := m.fill(out, one); err != nil {
		return nil, err
	}
	return out, m.fill(out, other)
}

// fill adds all entries of one dictionary to another.
func (m *meter) fill(d, from *starlark.Dict) error {
	for _, pair := range from.Items() {
		if err := m.set(d, pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// inParts calls dict, or the update of one, with a few pairs at a time. The library
// reports wrong arguments.
func (m *meter) inParts(t *starlark.Thread, receiver starlark.Value, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	pairs, many := first(args).(starlark.Iterable)
	if !many || len(args) != 1 {
		return b.CallInternal(t, args, kwargs)
	}
	d, updates := receiver.(*starlark.Dict)
	if !updates {
		d = new(starlark.Dict)
	}
	if err := m.update(t, d, pairs); err != nil {
		return nil, err
	}
	for _, pair := range kwargs {
		if err := m.set(d, pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	if updates {
		return starlark.None, nil
	}
	return d, nil
}

func (m *meter) update(t *starlark.Thread, d *starlark.Dict, pairs starlark.Iterable) error {
	if from, is := pairs.(*starlark.Dict); is {
		return m.fill(d, from)
	}
	found, err := d.Attr("update")
	if err != nil {
		return err
	}
	library := found.(*starlark.Builtin)
	iter := pairs.Iterate()
	defer iter.Done()
	var part []starlark.Value
	var pair starlark.Value
	for more := true; more; {
		if more = iter.Next(&pair); more {
			part = append(part, pair)
		}
		if len(part) < chunk && more {
			continue
		}
		if err := m.set(new(starlark.Dict), starlark.None, starlark.None); err != nil { // only checks for interruption
			return err
		}
		if _, err := library.CallInternal(t, starlark.Tuple{starlark.NewList(part)}, nil); err != nil {
			return err
		}
		part = part[:0]
	}
	return nil
}
