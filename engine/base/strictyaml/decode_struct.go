package strictyaml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
)

// field is one field of a format: its name in the file and its place in the struct.
type field struct {
	name      string
	index     []int
	omitEmpty bool
}

// fieldsOf lists the fields of struct type t in order of declaration.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		inline := strings.Contains(options, "inline") || f.Anonymous && name == ""
		switch {
		case name == "-":
		case inline && f.Type.Kind() == reflect.Struct:
			for _, sub := range fieldsOf(f.Type) {
				out = append(out, field{sub.name, append([]int{i}, sub.index...), sub.omitEmpty})
			}
		case name != "" && f.IsExported():
			out = append(out, field{name, []int{i}, strings.Contains(options, "omitempty")})
		}
	}
	return out
}

func (d *decoder) structure(n Node, v reflect.Value) {
	if n.Kind() != Mapping {
		d.fail(RuleType, n, "write it as key: value lines", "expected a mapping, found %s", describe(n))
		return
	}
	fields := fieldsOf(v.Type())
	for i := range n.Len() {
		key, value := n.Entry(i)
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Key() })
		if at < 0 {
			d.unknownKey(key, value, fields)
			continue
		}
		d.path = append(d.path, key.Key())
		d.value(value, v.FieldByIndex(fields[at].index))
		d.path = d.path[:len(d.path)-1]
	}
}

func (d *decoder) unknownKey(key, value Node, fields []field) {
	if d.lenient {
		path := append(slices.Clone(d.path), key.Key())
		d.unknown = append(d.unknown, Unknown{Path: joinPath(path), Key: key.Key(), Pos: key.Pos(), Value: value})
		return
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	slices.Sort(names)
	if near := Nearest(key.Key(), names); near != "" {
		d.fail(RuleUnknown, key, fmt.Sprintf("did you mean %q?", near), "unknown field %q", clip(key.Key()))
		return
	}
	d.fail(RuleUnknown, key, "remove it; the fields here are "+strings.Join(names, ", "), "unknown field %q", clip(key.Key()))
}

// Nearest returns the candidate that a misspelt name most likely means, or "" if none is close:
// at most a third of the letters may differ (Damerau-Levenshtein distance, ignoring case and
// the difference between '-' and '_').
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", len(name)
	for _, c := range candidates {
		if dist, near := away(name, c); near && dist < bestDistance {
			best, bestDistance = c, dist
		}
	}
	return best
}

// maxSimilar bounds the names that Similar returns.
const maxSimilar = 3

// Similar returns up to maxSimilar candidates that name may mean, the most similar first: those
// that are close as for Nearest, and those that contain name.
func Similar(name string, candidates []string) []string {
	type candidate struct {
		name string
		dist int
	}
	var found []candidate
	for _, c := range candidates {
		dist, near := away(name, c)
		if len(name) > 2 && strings.Contains(fold(c), fold(name)) && (!near || dist > 1) {
			dist, near = 1, true
		}
		if near {
			found = append(found, candidate{c, dist})
		}
	}
	order.Stable(found, func(a, b candidate) int { return a.dist - b.dist })
	var out []string
	for _, c := range found[:min(maxSimilar, len(found))] {
		out = append(out, c.name)
	}
	return out
}

// away returns the distance of two names, and whether at most a third of the letters differ.
func away(name, c string) (dist int, near bool) {
	const longest = 64 // distance is quadratic
	if len(name) > longest || len(c) > longest {
		return 0, false
	}
	dist = distance(fold(name), fold(c))
	return dist, dist <= max(1, max(len(name), len(c))/3)
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// distance returns the Damerau-Levenshtein distance in bytes (optimal string alignment: two
// swapped neighbours count once).
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			if a[i] == b[j] {
				next[j+1] = row[j]
				continue
			}
			next[j+1] = 1 + min(row[j], row[j+1], next[j])
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], 1+before[j-1])
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
