package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Unmarshaler is implemented by types that decode themselves from a node, such as durations and
// sizes. The error's text becomes the message of a diagnostic at the node's position, so it
// must describe only the value.
type Unmarshaler interface {
	UnmarshalNode(n Node) error
}

// Unknown is a key without a field in lenient decoding.
type Unknown struct {
	// Path is the path of the key from the root, joined by '.'.
	Path  string
	Key   string
	Pos   diag.Pos
	Value Node
}

// Decode fills the struct, map, slice or other value that into points to, and adds every
// problem to ds. Struct fields are named by a `yaml` tag as in yaml.v3; fields without a tag
// are ignored; embedded structs without a name, or with ",inline", belong to their parent.
//
// Types are strict: a string field accepts text that every YAML reader treats as text (anything
// else must be quoted), a bool accepts true and false, an any receives map[string]any, []any,
// string, int64, float64, bool or nil. Null leaves pointers, slices, maps and any at zero and
// is an error elsewhere. Types with UnmarshalNode or UnmarshalText decode themselves.
func (d *Doc) Decode(into any, ds *diag.List) { d.Root().Decode(into, ds) }

// DecodeLenient is Decode for files of other programs: keys without a field are returned
// instead of reported, and a string field accepts any scalar as written.
func (d *Doc) DecodeLenient(into any, ds *diag.List) []Unknown {
	dec := decoder{lenient: true, diags: ds}
	dec.into(d.Root(), into)
	return dec.unknown
}

// Decode is Doc.Decode for one value of a document.
func (n Node) Decode(into any, ds *diag.List) {
	dec := decoder{diags: ds}
	dec.into(n, into)
}

// Value returns the node as plain data; see Decode for the types.
func (n Node) Value(ds *diag.List) any {
	var v any
	n.Decode(&v, ds)
	return v
}

type decoder struct {
	lenient bool
	diags   *diag.List
	unknown []Unknown
	path    []string
}

// into reports a target that is not a pointer as a diagnostic instead of a panic: it is a bug
// in the caller, which tests find.
func (d *decoder) into(n Node, target any) {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		d.fail(RuleValue, n, "", "internal: cannot decode into %T", target)
		return
	}
	if n.Kind() == Absent {
		return
	}
	d.value(n, v.Elem())
}

func (d *decoder) fail(rule string, n Node, fix, format string, args ...any) {
	if len(*d.diags) >= mostProblems {
		return
	}
	where := ""
	if len(d.path) > 0 {
		where = joinPath(d.path) + ": "
	}
	d.diags.Errorf(rule, n.Pos(), fix, "%s%s", where, fmt.Sprintf(format, args...))
}

func (d *decoder) value(n Node, v reflect.Value) {
	if v.Type() == reflect.TypeFor[Node]() {
		v.Set(reflect.ValueOf(n))
		return
	}
	if d.custom(n, v) {
		return
	}
	if n.Kind() == Null && nullable(v.Kind()) {
		v.SetZero()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p := reflect.New(v.Type().Elem())
		d.value(n, p.Elem())
		v.Set(p)
	case reflect.Interface:
		if plain := d.plain(n); plain != nil {
			v.Set(reflect.ValueOf(plain))
		}
	case reflect.Struct:
		d.structure(n, v)
	case reflect.Map:
		d.mapping(n, v)
	case reflect.Slice:
		d.slice(n, v)
	default:
		d.scalar(n, v)
	}
}

func nullable(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Interface || k == reflect.Slice || k == reflect.Map
}

// custom decodes types with a decoding method, and reports whether v's type has one.
func (d *decoder) custom(n Node, v reflect.Value) bool {
	if v.Kind() == reflect.Pointer || !v.CanAddr() {
		return false
	}
	switch u := v.Addr().Interface().(type) {
	case Unmarshaler:
		if err := u.UnmarshalNode(n); err != nil {
			d.fail(RuleValue, n, "", "%s", err)
		}
		return true
	case encoding.TextUnmarshaler:
		if n.Kind() != Scalar {
			d.fail(RuleType, n, "", "expected text, found %s", n.Kind())
			return true
		}
		text, _ := n.Text()
		if err := u.UnmarshalText([]byte(text)); err != nil {
			d.fail(RuleValue, n, "", "%s", err)
		}
		return true
	}
	return false
}

func (d *decoder) mapping(n Node, v reflect.Value) {
	if n.Kind() != Mapping || v.Type().Key().Kind() != reflect.String {
		d.fail(RuleType, n, "write it as key: value lines", "expected a mapping, found %s", describe(n))
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), n.Len())
	for i := range n.Len() {
		key, value := n.Entry(i)
		d.path = append(d.path, key.Key())
		item := reflect.New(v.Type().Elem()).Elem()
		d.value(value, item)
		m.SetMapIndex(reflect.ValueOf(key.Key()).Convert(v.Type().Key()), item)
		d.path = d.path[:len(d.path)-1]
	}
	v.Set(m)
}

func (d *decoder) slice(n Node, v reflect.Value) {
	if n.Kind() != Sequence {
		d.fail(RuleType, n, "write it as a list: [a, b], or one '- ' line for each", "expected a list, found %s", describe(n))
		return
	}
	s := reflect.MakeSlice(v.Type(), n.Len(), n.Len())
	for i := range n.Len() {
		d.path = append(d.path, strconv.Itoa(i))
		d.value(n.Index(i), s.Index(i))
		d.path = d.path[:len(d.path)-1]
	}
	v.Set(s)
}
