package condition

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema derives facts from the Go types that hold them, so that each fact is declared once.
//
// A field with a `doc` tag is a fact. Its name is in the `fact` tag, or else in the `yaml` tag.
// A `values` tag names its words: a key of the schema's word lists, or the words themselves,
// separated by commas. Without the tag, a type with a Values method lists them. The option
// "omitzero" of the `fact` tag writes the zero value as the empty text.
type Schema struct {
	words   map[string][]string
	objects []Named
	fields  map[reflect.Type][]Field
}

// Named is a struct type and its name in conditions.
type Named struct {
	Name string
	Type reflect.Type
}

// Field is a fact and the index of its value in the struct.
type Field struct {
	Fact
	index    []int
	omitZero bool
}

// NewSchema reads the tags of all objects. words maps keys to word lists.
func NewSchema(words map[string][]string, objects ...Named) *Schema {
	s := &Schema{words: words, objects: objects, fields: map[reflect.Type][]Field{}}
	for _, o := range objects {
		s.fields[o.Type] = s.Fields(o.Type)
	}
	return s
}

// Objects describes the schema's struct types.
func (s *Schema) Objects() []Object {
	var out []Object
	for _, o := range s.objects {
		described := Object{Name: o.Name}
		for _, f := range s.fields[o.Type] {
			described.Fields = append(described.Fields, f.Fact)
		}
		out = append(out, described)
	}
	return out
}

// Fields lists the facts among the fields of a struct type, including those of embedded and
// ",inline" structs.
func (s *Schema) Fields(t reflect.Type) []Field {
	var out []Field
	for i := range t.NumField() {
		f := t.Field(i)
		inline := f.Anonymous || f.Tag.Get("fact") == ",inline" || f.Tag.Get("yaml") == ",inline"
		if inline && f.Type.Kind() == reflect.Struct {
			for _, sub := range s.Fields(f.Type) {
				sub.index = append([]int{i}, sub.index...)
				out = append(out, sub)
			}
			continue
		}
		doc, ok := f.Tag.Lookup("doc")
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("fact"), ",")
		if name == "" {
			name, _, _ = strings.Cut(f.Tag.Get("yaml"), ",")
		}
		made := Field{Fact: s.Fact(name, f.Type, f.Tag.Get("values"), doc), index: []int{i}, omitZero: option == "omitzero"}
		if made.omitZero {
			made.Values = append([]string{""}, made.Values...)
		}
		out = append(out, made)
	}
	return out
}

// Of returns the field's value in a struct, in the form for conditions.
func (f Field) Of(s *Schema, v reflect.Value) any {
	v = v.FieldByIndex(f.index)
	if f.omitZero && v.IsZero() {
		return ""
	}
	return s.Plain(v)
}

// Fact describes a fact of a Go type. Words are as in a `values` tag.
func (s *Schema) Fact(name string, t reflect.Type, words, doc string) Fact {
	return Fact{Name: name, Type: s.typeOf(t), Values: s.values(t, words), Doc: doc}
}

func (s *Schema) values(t reflect.Type, words string) []string {
	if known, ok := s.words[words]; ok {
		return known
	}
	if words != "" {
		return strings.Split(words, ",")
	}
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if v, ok := reflect.Zero(t).Interface().(interface{ Values() []string }); ok {
		return v.Values()
	}
	return nil
}

// typeOf returns the CEL spelling of the type, or "" for a type that the vocabulary cannot
// express, which no environment accepts.
func (s *Schema) typeOf(t reflect.Type) Type {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[time.Time]():
		return "timestamp"
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return "string"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int64:
		return "int"
	case reflect.Float64:
		return "double"
	case reflect.String:
		return "string"
	case reflect.Slice:
		return "list(" + s.typeOf(t.Elem()) + ")"
	case reflect.Map:
		return "map(string, " + s.typeOf(t.Elem()) + ")"
	case reflect.Pointer:
		return s.typeOf(t.Elem())
	}
	i := slices.IndexFunc(s.objects, func(o Named) bool { return o.Type == t })
	if i < 0 {
		return ""
	}
	return Type(s.objects[i].Name)
}

// Plain returns a value in the form for conditions: objects as maps by the names of their
// facts, named text types as strings. Lists and maps are never nil, and a nil object is an
// empty one.
func (s *Schema) Plain(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case time.Duration, time.Time, map[string]int:
		if v.Kind() == reflect.Map && v.IsNil() {
			return map[string]int{}
		}
		return value
	case encoding.TextMarshaler:
		text, err := value.MarshalText()
		if err != nil {
			return ""
		}
		return string(text)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Pointer:
		if v.IsNil() {
			return s.Plain(reflect.Zero(v.Type().Elem()))
		}
		return s.Plain(v.Elem())
	case reflect.Slice:
		if s.typeOf(v.Type().Elem()) == "string" {
			return listOf[string](s, v)
		}
		return listOf[map[string]any](s, v)
	case reflect.Struct:
		out := map[string]any{}
		for _, f := range s.fields[v.Type()] {
			out[f.Name] = f.Of(s, v)
		}
		return out
	}
	return v.Interface()
}

func listOf[T any](s *Schema, v reflect.Value) []T {
	out := make([]T, 0, v.Len())
	for i := range v.Len() {
		if e, ok := s.Plain(v.Index(i)).(T); ok {
			out = append(out, e)
		}
	}
	return out
}
