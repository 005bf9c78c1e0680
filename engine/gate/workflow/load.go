package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Load reads all of workflows/ in v. parseSchedule is called with a cron expression as
// written; the text of its error says what is wrong with it.
//
// Workflows with errors are left out of the result, which is sorted by name. Of two files with one
// name or command, the first is used and the second has the error; files that changed come after all others.
// The error is set only when v could not be read.
func Load(v tree.View, parseSchedule func(string) error, changed ...string) ([]Workflow, diag.List, error) {
	_, ws, diags, err := load(v, parseSchedule, changed)
	return ws, diags, err
}

// Read reads one workflow as far as possible, among others that it may call. The findings are about it alone.
func Read(v tree.View, parseSchedule func(string) error, at string) (Workflow, diag.List, error) {
	l, _, diags, err := load(v, parseSchedule, []string{at})
	if err != nil || l == nil {
		return Workflow{}, nil, err
	}
	w, _ := l.file(at)
	return w, slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Pos.File != at && path.Ext(d.Pos.File) == ".yaml" }), nil
}

func load(v tree.View, parseSchedule func(string) error, changed []string) (*loader, []Workflow, diag.List, error) {
	var diags diag.List
	entries, err := v.List(Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("list %s: %w", Dir, err)
	}
	order.Stable(entries, func(a, b tree.Entry) int {
		return cmp.Compare(slices.Index(changed, a.Path), slices.Index(changed, b.Path))
	})
	templates, err := loadTemplates(v, &diags)
	if err != nil {
		return nil, nil, nil, err
	}
	l := newLoader(rules{parseSchedule: parseSchedule, templates: templates})
	for _, e := range entries {
		if !checkEntry(e, &diags) {
			continue
		}
		src, err := v.Read(e.Path)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("read %s: %w", e.Path, err)
		}
		l.paths, l.sources[e.Path] = append(l.paths, e.Path), src
	}
	var ws []Workflow
	for _, file := range l.paths {
		w, ds := l.file(file)
		diags.Add(ds...)
		if !ds.HasErrors() {
			ws = append(ws, w)
		}
	}
	ws = refuseTwins(ws, &diags)
	order.Sort(ws, func(a, b Workflow) int { return cmp.Compare(a.Name, b.Name) })
	diags.Sort()
	return l, ws, diags, nil
}

// checkEntry reports whether e holds a workflow. An entry that looks like a workflow and is
// not read is an error: otherwise its absence would go unnoticed.
func checkEntry(e tree.Entry, diags *diag.List) bool {
	ext := path.Ext(e.Path)
	switch {
	case e.Path == TemplateDir && e.Mode == tree.Dir: // loadTemplates reads it
	case e.Mode == tree.Dir:
		diags.Errorf(RuleFile, diag.Pos{File: e.Path}, "move its files up into "+Dir+"/", "folders inside %s/ but %s/ are not read", Dir, TemplateDir)
	case !e.Mode.IsFile():
		diags.Errorf(RuleFile, diag.Pos{File: e.Path}, "replace it by a regular file", "a workflow must be a regular file")
	case ext == ".yaml":
		return true
	case ext != ".md":
		diags.Errorf(RuleFile, diag.Pos{File: e.Path}, "give it the ending .yaml, or move it elsewhere",
			"%s/ holds .yaml workflows and .md notes; this file is neither", Dir)
	}
	return false
}

// refuseTwins leaves out workflows whose name an earlier file has, or whose command starts runs of an earlier
// one. Direct workflows share theirs: nothing starts them one by one.
func refuseTwins(ws []Workflow, diags *diag.List) []Workflow {
	first, started := map[string]string{}, map[string]string{}
	var kept []Workflow
	for _, w := range ws {
		if other, taken := first[w.Name]; taken {
			diags.Errorf(RuleName, w.Pos, "give one of the two another name", "the name %q is taken by %s", w.Name, other)
			continue
		}
		word := w.On.Command
		if w.Direct() {
			word = ""
		}
		if other, taken := started[word]; taken && word != "" {
			diags.Errorf(RuleEvent, w.Pos, "give one of the two another command", "the command %q starts %s", word, other)
			continue
		}
		first[w.Name], started[word] = w.Path, w.Path
		kept = append(kept, w)
	}
	return kept
}

func parse(file string, src []byte, r rules) (w Workflow, depth int, ds diag.List) {
	doc, diags := strictyaml.Parse(file, src, 1, strictyaml.DefaultLimits())
	if diags.HasErrors() {
		return w, 0, diags
	}
	p := parser{reader: &reader{doc: doc, diags: diags}, rules: r}
	w = p.workflow(file)
	w.Digest = tree.BlobHash(src).String()
	if called := p.calls.digests; len(called) > 0 { // another version of what it calls is another version of it
		w.Digest = tree.BlobHash([]byte(strings.Join(append(called, w.Digest), "\n"))).String()
	}
	return w, p.calls.depth, p.diags
}
