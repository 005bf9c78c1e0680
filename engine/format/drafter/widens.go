package drafter

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
)

// free are the fields that a draft may write, by their names in the files: they grant no
// access and bind no caller.
var free = []string{"description", "limitations", "examples", "error_patterns"}

// Check reports everything that a draft may not do. now is the capability with the draft,
// in the tree is; was is the one without it, in before.
func Check(before, is tree.View, was, now capability.Capability) diag.List {
	out := capability.CompareSuites(was.Suite, now.Suite)
	for _, part := range []struct {
		file     string
		was, now any
	}{
		{capability.RecordFile, was.Record, now.Record},
		{capability.SkillFile, was.Skill, now.Skill},
	} {
		for _, c := range changes("", reflect.ValueOf(part.was), reflect.ValueOf(part.now)) {
			out.Errorf(RuleWidens, diag.Pos{File: tree.Join(now.Path, part.file)}, "leave it as the template has it; a reviewer can change it later",
				"the draft changes %s from %.200s to %.200s", c.field, c.was, c.now)
		}
	}
	known := calls(before, was)
	for _, call := range calls(is, now) {
		if !slices.ContainsFunc(known, func(k composed.Call) bool { return k.Name == call.Name }) {
			out.Errorf(RuleWidens, call.Pos, "remove the call, or add it to the template", "the draft calls %.200q, which the template does not", call.Name)
		}
	}
	return out
}

type change struct{ field, was, now string }

// changes lists the fields that differ between two values of one type and are not free,
// by their names in YAML. Empty and absent are equal.
func changes(above string, was, now reflect.Value) []change {
	var out []change
	for i := range was.NumField() {
		name, _, _ := strings.Cut(was.Type().Field(i).Tag.Get("yaml"), ",")
		a, b := was.Field(i), now.Field(i)
		switch {
		case name == "-" || above == "" && slices.Contains(free, name):
		case a.Kind() == reflect.Struct:
			out = append(out, changes(above+name+".", a, b)...)
		case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
			out = append(out, changes(above+name+".", a.Elem(), b.Elem())...)
		case empty(a) && empty(b), reflect.DeepEqual(a.Interface(), b.Interface()):
		default:
			out = append(out, change{above + name, shown(a), shown(b)})
		}
	}
	return out
}

func empty(v reflect.Value) bool {
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() == 0
	}
	return v.IsZero()
}

func shown(v reflect.Value) string {
	if empty(v) {
		return "nothing"
	}
	return fmt.Sprintf("%v", reflect.Indirect(v).Interface())
}

// calls returns the calls of a composed tool. A program that does not parse has none, and
// is refused elsewhere.
func calls(v tree.View, c capability.Capability) []composed.Call {
	if c.Record.Run == nil || c.Record.Run.Runtime != capability.Starlark {
		return nil
	}
	file := tree.Join(c.Path, c.Record.Run.Entry)
	src, err := v.Read(file)
	if err != nil {
		return nil
	}
	program, _ := composed.Parse(file, src)
	if program == nil {
		return nil
	}
	return program.Calls()
}
