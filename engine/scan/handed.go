package scan

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// fetchedFile is a path that a program of a capability writes from the network.
type fetchedFile struct {
	by   string
	data program.Value
}

// handed finds files that one program of a capability fetches and another one runs.
// Paths are compared by their last two parts, as programs begin in different folders.
// A finding is therefore shown to a person, and blocks only if the address has no known
// owner. The documents of programFile were judged already, so that nothing is read twice.
func handed(files []File, programs []*document, opt Options) diag.List {
	unitOf := unitsBelow(files)
	units := map[string][]int{}
	var order []string
	lists := map[string][]int{}
	for i, f := range files {
		if isList(f) {
			lists[unitOf(f.Path)] = append(lists[unitOf(f.Path)], i)
		}
		if programs[i] != nil {
			unit := unitOf(f.Path)
			if units[unit] == nil {
				order = append(order, unit)
			}
			units[unit] = append(units[unit], i)
		}
	}
	found := make([]diag.List, len(order))
	opt.each(len(order), func(u int) {
		group := units[order[u]]
		if worthHanding(files, group) {
			found[u] = handedWithin(programs, group)
		}
		found[u] = append(found[u], listedKeys(files, programs, group, lists[order[u]])...)
	})
	var out diag.List
	for _, list := range found {
		out = append(out, list...)
	}
	return out
}

// programFile reports whether f is a program whose files are followed.
func programFile(f File) bool {
	switch path.Ext(f.Path) {
	case ".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts":
		return len(f.Content) > 0 && len(f.Content) <= mostJoint
	}
	return false
}

// worthHanding reports whether group is worth reading together: at least one program fetches a
// file, and the group is not larger than mostParts and mostJoint allow.
func worthHanding(files []File, group []int) bool {
	if len(group) < 2 || len(group) > mostParts {
		return false
	}
	size, fetches := 0, false
	for _, i := range group {
		text := string(files[i].Content)
		size += len(text)
		fetches = fetches || containsAny(text, "curl", "wget", "urlretrieve", "urlopen", "requests.", "fetch(", "https.get", "http.get")
	}
	return fetches && size <= mostJoint
}

func handedWithin(programs []*document, group []int) diag.List {
	fetched := map[string]fetchedFile{}
	for _, i := range group {
		for _, r := range programs[i].readings() {
			for _, at := range slices.Sorted(maps.Keys(r.Written)) {
				if key := lastParts(at); key != "" && r.Written[at].Has(program.Fetched) {
					fetched[key] = fetchedFile{programs[i].path, r.Written[at]}
				}
			}
		}
	}
	if len(fetched) == 0 {
		return nil
	}
	var found diag.List
	for _, i := range group {
		d := programs[i]
		for _, m := range eachAct(d, func(r *reading, a *program.Act) (match, bool) { return handedRun(d, r, a, fetched) }) {
			found.Add(finding{engine().byID("download-run"), m}.diagnostic(d))
		}
	}
	return found
}

// handedRun judges one act: whether it runs a file that another program fetched.
func handedRun(d *document, r *reading, a *program.Act, fetched map[string]fetchedFile) (match, bool) {
	if a.Kind != program.Run || a.Data.Has(program.Fetched) {
		return match{}, false
	}
	f, ok := fetched[lastParts(a.To.Text)]
	from := strings.Join(f.data.Names, " ")
	if !ok || f.by == d.path || wellKnownInstaller(from) || staysHere(from) {
		return match{}, false
	}
	m := r.acted(a, diag.Warning, 0.7, "what "+path.Base(f.by)+" fetched is run by "+Visible(a.Name))
	if untrustedSource(from) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return m, true
}

// lastParts returns the name and the folder of a file: paths of one file have these in
// common in whatever folder programs begin.
func lastParts(p string) string {
	p = strings.TrimPrefix(strings.ReplaceAll(p, "\\", "/"), "./")
	if i := strings.LastIndex(p, "…"); i >= 0 || strings.ContainsAny(p, "\n*") || len(p) < 3 {
		return ""
	}
	parts := strings.Split(p, "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
