package composed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"

	"go.starlark.net/starlark"
)

const jsonName = "json"

// decode converts JSON to a value: whole numbers stay exact, all others become floats.
func (m *meter) decode(data []byte) (starlark.Value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := m.decodeNext(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func (m *meter) decodeNext(dec *json.Decoder, depth int) (starlark.Value, error) {
	if depth > maxDepth {
		return nil, limit("values nested deeper than %d", maxDepth)
	}
	token, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	var v starlark.Value
	switch token := token.(type) {
	case nil:
		v = starlark.None
	case bool:
		v = starlark.Bool(token)
	case string:
		v = starlark.String(token)
	case json.Number:
		if v, err = number(token.String()); err != nil {
			return nil, err
		}
	case json.Delim:
		if token == '{' {
			return m.decodeObject(dec, depth)
		}
		return m.decodeArray(dec, depth)
	}
	return v, m.made(v)
}

func number(s string) (starlark.Value, error) {
	if len(s) > maxBits/3 {
		return nil, limit("a number of %d digits", len(s))
	}
	if n, ok := new(big.Int).SetString(s, 10); ok {
		return starlark.MakeBigInt(n), nil
	}
	f, err := json.Number(s).Float64()
	if err != nil {
		return nil, fmt.Errorf("the number %s is out of range", clip(s))
	}
	return starlark.Float(f), nil
}

func (m *meter) decodeArray(dec *json.Decoder, depth int) (starlark.Value, error) {
	var all []starlark.Value
	for dec.More() {
		v, err := m.decodeNext(dec, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	list := starlark.NewList(all)
	return list, m.made(list)
}

func (m *meter) decodeObject(dec *json.Decoder, depth int) (starlark.Value, error) {
	dict := new(starlark.Dict)
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("no JSON: %w", err)
		}
		v, err := m.decodeNext(dec, depth+1)
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if err := m.set(dict, starlark.String(name), v); err != nil {
			return nil, err
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	return dict, m.made(dict)
}

// encode writes a value as JSON. Entries keep their insertion order.
func (m *meter) encode(t *starlark.Thread, v starlark.Value) ([]byte, error) {
	if _, err := m.walk(t, v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := encodeInto(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// encodeInto stops once the output exceeds the size of a text, since a value can be many
// times as large in JSON.
func encodeInto(b *bytes.Buffer, v starlark.Value) error {
	if err := encodeOne(b, v); err != nil {
		return err
	}
	if b.Len() > maxText {
		return limit("more than %d bytes of JSON", maxText)
	}
	return nil
}

func encodeOne(b *bytes.Buffer, v starlark.Value) error {
	switch v := v.(type) {
	case starlark.NoneType:
		b.WriteString("null")
	case starlark.Int:
		b.WriteString(v.String())
	case starlark.Bool:
		return plain(b, bool(v))
	case starlark.String:
		return plain(b, string(v))
	case starlark.Float:
		return plain(b, float64(v))
	case *starlark.Dict:
		return encodeObject(b, v)
	case *starlark.List, starlark.Tuple:
		return encodeArray(b, v.(starlark.Indexable))
	default:
		return fmt.Errorf("a value of type %s has no form in JSON", v.Type())
	}
	return nil
}

func plain(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("%v has no form in JSON", v)
	}
	b.Truncate(b.Len() - 1) // remove the line break
	return nil
}

func encodeArray(b *bytes.Buffer, v starlark.Indexable) error {
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encodeInto(b, v.Index(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

func encodeObject(b *bytes.Buffer, v *starlark.Dict) error {
	b.WriteByte('{')
	for i, pair := range v.Items() {
		key, ok := pair[0].(starlark.String)
		if !ok {
			return fmt.Errorf("a key of type %s has no form in JSON", pair[0].Type())
		}
		if i > 0 {
			b.WriteByte(',')
		}
		if err := plain(b, string(key)); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := encodeInto(b, pair[1]); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
