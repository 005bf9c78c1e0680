package strictyaml

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/order"
)

// deepest bounds the nesting of an encoded value, so that a cyclic value is an error.
const deepest = 200

// build converts a Go value to nodes. The library's own Node.Encode encodes and parses text in
// between, and changes some strings.
func build(v reflect.Value, depth int) (*yaml.Node, error) {
	if depth > deepest {
		return nil, errors.New("nested too deeply")
	}
	if !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
		return scalarNode("!!null", "null")
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			return nil, err
		}
		return scalarNode("!!str", string(text))
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return build(v.Elem(), depth+1)
	case reflect.Struct:
		return buildStruct(v, depth)
	case reflect.Map:
		return buildMap(v, depth)
	case reflect.Slice, reflect.Array:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range v.Len() {
			if err := add(n, v.Index(i), depth); err != nil {
				return nil, err
			}
		}
		return n, nil
	default:
		return buildScalar(v)
	}
}

func add(n *yaml.Node, v reflect.Value, depth int) error {
	child, err := build(v, depth+1)
	n.Content = append(n.Content, child)
	return err
}

func buildStruct(v reflect.Value, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range fieldsOf(v.Type()) {
		value := v.FieldByIndex(f.index)
		if f.omitEmpty && empty(value) {
			continue
		}
		if err := add(n, reflect.ValueOf(f.name), depth); err != nil {
			return nil, err
		}
		if err := add(n, value, depth); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return n, nil
}

func empty(v reflect.Value) bool {
	if k := v.Kind(); k == reflect.Slice || k == reflect.Map {
		return v.Len() == 0
	}
	return v.IsZero()
}

func buildMap(v reflect.Value, depth int) (*yaml.Node, error) {
	if v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("keys of type %s", v.Type().Key())
	}
	keys := v.MapKeys()
	order.Sort(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, k := range keys {
		if err := add(n, reflect.ValueOf(k.String()), depth); err != nil {
			return nil, err
		}
		if err := add(n, v.MapIndex(k), depth); err != nil {
			return nil, fmt.Errorf("%s: %w", clip(k.String()), err)
		}
	}
	return n, nil
}

func buildScalar(v reflect.Value) (*yaml.Node, error) {
	switch {
	case v.Kind() == reflect.String:
		return scalarNode("!!str", v.String())
	case v.Kind() == reflect.Bool:
		return scalarNode("!!bool", strconv.FormatBool(v.Bool()))
	case v.CanInt():
		return scalarNode("!!int", strconv.FormatInt(v.Int(), 10))
	case v.CanUint():
		return scalarNode("!!int", strconv.FormatUint(v.Uint(), 10))
	case v.CanFloat():
		return buildFloat(v.Float(), v.Type().Bits())
	default:
		return nil, fmt.Errorf("no YAML form for %s", v.Type())
	}
}

// buildFloat returns the shortest JSON number that reads back as f. A number without a fraction
// gets ".0", so that it stays a float for readers that infer types.
func buildFloat(f float64, bits int) (*yaml.Node, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, errors.New("a number that is not finite")
	}
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return scalarNode("!!float", s)
}

func scalarNode(tag, value string) (*yaml.Node, error) {
	if !utf8.ValidString(value) {
		return nil, errors.New("text that is not UTF-8")
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}, nil
}
