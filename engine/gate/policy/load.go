package policy

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Load reads the policy files of a view, which must be the base's, never the proposal's own.
// A file that is missing or has any error is reported and replaced as a whole by the strictest
// defaults, so that the result is always usable and never more lenient than the written file.
func Load(v tree.View) (Policies, diag.List) {
	var ds diag.List
	p := Policies{
		Roles:     loadFile(v, RolesFile, &ds, Roles{}, readRoles),
		Approvals: loadFile(v, ApprovalsFile, &ds, strictestApprovals(), readApprovals),
		Autonomy:  loadFile(v, AutonomyFile, &ds, Autonomy{Default: Manual, MaximumRisk: defaultMaximum()}, readAutonomy),
		Limits:    loadFile(v, LimitsFile, &ds, defaultLimits().limits(), readLimits),
		Security:  loadFile(v, SecurityFile, &ds, strictestSecurity(), readSecurity),
		Retention: loadFile(v, RetentionFile, &ds, defaultRetention().retention(), readRetention),
		Gaps:      loadGaps(v, &ds),
		Format:    loadFormat(v, &ds),
	}
	unknownFiles(v, &ds)
	ds.Sort()
	return p, ds
}

// loadFile reads one file with read, or answers strictest.
func loadFile[T any](v tree.View, path string, ds *diag.List, strictest T, read func(*strictyaml.Doc, *diag.List) T) T {
	data, err := v.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		ds.Warnf(RuleMissing, diag.Pos{File: path}, "add it; `assent init` writes one",
			"%s is missing: the strictest defaults apply", path)
		return strictest
	}
	if err != nil {
		ds.Errorf(RuleUnreadable, diag.Pos{File: path}, "repair the repository", "%s cannot be read: %v", path, err)
		return strictest
	}
	doc, found := strictyaml.Parse(path, data, 1, strictyaml.DefaultLimits())
	if !found.HasErrors() {
		value := read(doc, &found)
		if !found.HasErrors() {
			ds.Add(found...)
			return value
		}
	}
	ds.Add(found...)
	return strictest
}

// unknownFiles reports files in policies/ that assent does not read: a misspelt file name
// must not pass for a policy.
func unknownFiles(v tree.View, ds *diag.List) {
	entries, err := v.List("policies")
	if err != nil {
		return // a missing folder is reported file by file
	}
	for _, e := range entries {
		switch {
		case e.Path == ScenariosDir && e.Mode == tree.Dir:
			unknownScenarios(v, ds)
		case !slices.Contains(Files(), e.Path) && e.Path != "policies/README.md":
			ds.Warnf(RuleUnknownFile, diag.Pos{File: e.Path}, "remove it, or give it the name of a policy file",
				"%s is no policy file and has no effect", e.Path)
		}
	}
}

func unknownScenarios(v tree.View, ds *diag.List) {
	entries, err := v.List(ScenariosDir)
	if err != nil {
		return // the reader of scenarios reports it
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Path, ".yaml") && e.Path != ScenariosDir+"/README.md" {
			ds.Warnf(RuleUnknownFile, diag.Pos{File: e.Path}, "name it <name>.yaml", "%s is no scenario file and has no effect", e.Path)
		}
	}
}
