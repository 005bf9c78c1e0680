package strictyaml

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// scalar fills strings, booleans and numbers.
func (d *decoder) scalar(n Node, v reflect.Value) {
	text, quoted := n.Text()
	c := classText
	if !quoted {
		c = classify(text)
	}
	switch kind := v.Kind(); kind {
	case reflect.String:
		if s, ok := d.text(n); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		if n.Kind() != Scalar || c != classBool {
			d.fail(RuleType, n, "write true or false, without quotes", "expected true or false, found %s", describe(n))
			return
		}
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if d.number(n, c == classInt, "a whole number", err) {
			v.SetInt(i)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		u, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if d.number(n, c == classInt, "a whole number of at least 0", err) {
			v.SetUint(u)
		}
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(text, v.Type().Bits())
		if d.number(n, c == classInt || c == classFloat, "a number", err) {
			v.SetFloat(f)
		}
	default:
		d.fail(RuleValue, n, "", "internal: no YAML form for %s", v.Type())
	}
}

func (d *decoder) number(n Node, ok bool, want string, err error) bool {
	switch {
	case n.Kind() != Scalar || !ok:
		d.fail(RuleType, n, "write "+want+" in digits, without quotes", "expected %s, found %s", want, describe(n))
		return false
	case err != nil:
		d.fail(RuleValue, n, "write "+want+" in range", "expected %s, and %s is out of range", want, describe(n))
		return false
	}
	return true
}

// text returns the scalar for a string field.
func (d *decoder) text(n Node) (string, bool) {
	text, quoted := n.Text()
	switch {
	case n.Kind() != Scalar:
		d.fail(RuleType, n, "write the text on the same line, in quotes if need be", "expected text, found %s", describe(n))
		return "", false
	case quoted || d.lenient || classify(text) == classText:
		return text, true
	case classify(text) == classAmbiguous:
		d.fail(RuleAmbiguous, n, fmt.Sprintf("write \"%s\" in quotes", clip(text)),
			"expected text, and %q without quotes is something else to some readers", clip(text))
	default:
		d.fail(RuleType, n, fmt.Sprintf("write \"%s\" in quotes", clip(text)), "expected text, found %s", describe(n))
	}
	return "", false
}

// plain decodes into JSON-compatible data.
func (d *decoder) plain(n Node) any {
	switch n.Kind() {
	case Mapping:
		m := make(map[string]any, n.Len())
		for i := range n.Len() {
			key, value := n.Entry(i)
			d.path = append(d.path, key.Key())
			m[key.Key()] = d.plain(value)
			d.path = d.path[:len(d.path)-1]
		}
		return m
	case Sequence:
		s := make([]any, n.Len())
		for i := range s {
			d.path = append(d.path, strconv.Itoa(i))
			s[i] = d.plain(n.Index(i))
			d.path = d.path[:len(d.path)-1]
		}
		return s
	case Scalar:
		return d.plainScalar(n)
	default:
		return nil
	}
}

func (d *decoder) plainScalar(n Node) any {
	text, quoted := n.Text()
	if quoted {
		return text
	}
	switch classify(text) {
	case classBool:
		return text == "true"
	case classInt, classFloat:
		if v, ok := parseNumber(text); ok {
			return v
		}
		d.fail(RuleValue, n, "put it in quotes if it is text", "the number %s is out of range", clip(text))
		return nil
	case classAmbiguous:
		if s, ok := d.text(n); ok {
			return s
		}
		return nil
	default:
		return text
	}
}

// describe describes n, for "expected …, found …".
func describe(n Node) string {
	if n.Kind() != Scalar {
		return n.Kind().String()
	}
	text, quoted := n.Text()
	if quoted {
		return fmt.Sprintf("the text %q", clip(text))
	}
	switch classify(text) {
	case classBool:
		return "the boolean " + text
	case classInt, classFloat:
		return "the number " + clip(text)
	default:
		return fmt.Sprintf("%q", clip(text))
	}
}

// joinPath renders keys and indexes as run.entry or cases[3].name.
func joinPath(path []string) string {
	var b strings.Builder
	for i, step := range path {
		_, err := strconv.Atoi(step)
		switch {
		case err == nil && i > 0:
			b.WriteString("[" + step + "]")
		case i > 0:
			b.WriteString("." + clip(step))
		default:
			b.WriteString(clip(step))
		}
	}
	return b.String()
}
