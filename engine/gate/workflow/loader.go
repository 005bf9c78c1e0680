package workflow

import (
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// loader parses each file once, and before that the workflows that it calls.
type loader struct {
	rules
	paths   []string
	sources map[string][]byte
	parsed  map[string]parsed
	names   map[string]string // name → path, once a workflow calls another one
	stack   []string          // names of the workflows that are being parsed
}

type parsed struct {
	Workflow
	depth int
	diags diag.List
}

func newLoader(r rules) *loader {
	l := &loader{rules: r, sources: map[string][]byte{}, parsed: map[string]parsed{}}
	l.load = l.named
	return l
}

func (l *loader) file(path string) (Workflow, diag.List) {
	done, is := l.parsed[path]
	if !is {
		l.stack = append(l.stack, path)
		done.Workflow, done.depth, done.diags = parse(path, l.sources[path], l.rules)
		l.stack = l.stack[:len(l.stack)-1]
		l.parsed[path] = done
	}
	return done.Workflow, done.diags
}

// uncallable is why a workflow cannot be called, and what to do about it. It is nil for one that can.
type uncallable struct{ why, fix string }

// named returns a workflow to be called.
func (l *loader) named(name string) (w Workflow, depth int, not *uncallable) {
	if l.names == nil {
		l.names = map[string]string{}
		for _, path := range slices.Backward(l.paths) { // the first of a name counts
			doc, ds := strictyaml.Parse(path, l.sources[path], 1, strictyaml.DefaultLimits())
			if root := doc.Root(); !ds.HasErrors() && root.Kind() == strictyaml.Mapping {
				text, _ := root.Get("name").Text()
				l.names[text] = path
			}
		}
	}
	path, there := l.names[name]
	if !there {
		not = &uncallable{"there is no workflow of that name", "write the name of a workflow of workflows/, as its name: says, or add one"}
		if near := strictyaml.Nearest(name, slices.Sorted(maps.Keys(l.names))); near != "" {
			not.why += "; did you mean " + quote(near) + "?"
		}
		return w, 0, not
	}
	if at := slices.Index(l.stack, path); at >= 0 {
		return w, 0, &uncallable{"they call each other: " + strings.Join(append(slices.Clone(l.stack[at:]), path), " calls "),
			"name a workflow of workflows/ that calls none of its callers"}
	}
	w, ds := l.file(path)
	if ds.HasErrors() {
		return w, 0, &uncallable{path + " has errors of its own", "correct that workflow first"}
	}
	return w, l.parsed[path].depth, nil
}
