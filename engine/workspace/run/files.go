package run

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// Admits checks the paths delivered for a task against its patterns. there are paths that the
// proposal has already; they count as delivered.
func Admits(w workflow.Workflow, s State, j workflow.Job, paths, there []string) diag.List {
	var ds diag.List
	deliver, may := Patterns(w, s, j)
	for _, p := range paths {
		//defence:tasks-name-their-files
		if !slices.ContainsFunc(append(slices.Clone(deliver), may...), func(pattern string) bool { return policy.MatchPath(pattern, p) }) {
			ds.Errorf(RuleFiles, diag.Pos{File: p}, admitted(deliver, may), "the task %s does not take this file", j.Name)
		}
	}
	for _, pattern := range deliver {
		if !slices.ContainsFunc(append(slices.Clone(paths), there...), func(p string) bool { return policy.MatchPath(pattern, p) }) {
			ds.Errorf(RuleFiles, diag.Pos{File: pattern}, "hand it in: --file "+names.ShellWord(pattern)+"=FROM, or --files DIR", "the task %s requires this file, but it is missing", j.Name)
		}
	}
	return ds
}

// Patterns are a task's paths with the run's values filled in.
func Patterns(w workflow.Workflow, s State, j workflow.Job) (deliver, may []string) {
	values := Values(w, s, j.Name)
	for _, p := range j.Deliver {
		deliver = append(deliver, path.Clean(workflow.Fill(p, values)))
	}
	for _, p := range j.May {
		may = append(may, path.Clean(workflow.Fill(p, values)))
	}
	return deliver, may
}

func admitted(deliver, may []string) string {
	all := append(slices.Clone(deliver), may...)
	if len(all) == 0 {
		return "leave it out: the task takes no files"
	}
	return "leave it out; the task takes " + strings.Join(all, ", ")
}
