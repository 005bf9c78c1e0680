package scan

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

const (
	// mostJoint bounds the bytes of programs that are read together, mostParts how
	// many they are.
	mostJoint, mostParts = 128 << 10, 24
)

// joint follows data between the programs of one folder that import each other.
// They are read as one text, by name, which over-approximates. A finding of this
// reading alone is therefore shown to a person, and blocks only if the data goes to
// a host without a known owner.
func joint(files []File, opt Options) diag.List {
	folders := map[string][]int{}
	var order []string
	for i := range files {
		if path.Ext(files[i].Path) != ".py" || len(files[i].Content) > mostJoint || len(files[i].Content) == 0 {
			continue
		}
		dir := path.Dir(files[i].Path)
		if folders[dir] == nil {
			order = append(order, dir)
		}
		folders[dir] = append(folders[dir], i)
	}
	slices.Sort(order)
	var groups [][]int
	for _, dir := range order {
		if group := importing(files, folders[dir]); len(group) > 1 {
			groups = append(groups, group)
		}
	}
	found := make([]diag.List, len(groups))
	opt.each(len(groups), func(g int) { found[g] = together(files, groups[g], opt) })
	return slices.Concat(found...)
}

// importing returns those of group that import another of it or are imported,
// up to the bounds, if a program among them could send.
func importing(files []File, group []int) []int {
	if len(group) < 2 || len(group) > mostParts {
		return nil
	}
	linked := map[int]bool{}
	sends, reads := false, false
	size := 0
	for _, i := range group {
		text := string(files[i].Content)
		size += len(text)
		sends = sends || containsAny(text, "request", "http", "socket", "urlopen", "aiohttp")
		reads = reads || containsAny(text, "environ", "/.", "expanduser")
		for _, j := range group {
			name := strings.TrimSuffix(path.Base(files[j].Path), ".py")
			if i != j && containsAny(text, "from "+name+" import", "import "+name+"\n", "from ."+name+" import", "from . import "+name, "import "+name+" as") {
				linked[i], linked[j] = true, true
			}
		}
	}
	if !sends || !reads || size > mostJoint {
		return nil
	}
	var out []int
	for _, i := range group {
		if linked[i] {
			out = append(out, i)
		}
	}
	return out
}

// together reads the programs of group as one.
func together(files []File, group []int, opt Options) diag.List {
	var text strings.Builder
	starts := make([]int, len(group))
	for n, i := range group {
		starts[n] = text.Len()
		text.WriteString(strings.ToValidUTF8(string(files[i].Content), "?"))
		text.WriteString("\n")
	}
	r := program.Read(text.String(), program.Python)
	var found diag.List
	for k := range r.Acts {
		a := &r.Acts[k]
		if a.Kind != program.Send || !a.Data.Has(program.KeyFile|program.Token|program.Environment) || staysHere(a.To.Text) || a.Data.Login {
			continue
		}
		n, exact := slices.BinarySearch(starts, a.At)
		if !exact {
			n--
		}
		f := files[group[n]]
		d := newDocument(f.Path, string(f.Content), opt.declaredFor(f.Path))
		d.plain = f.plain
		at := min(a.At-starts[n], len(d.text))
		m := match{start: at, end: min(max(at, a.End-starts[n]), len(d.text)), severity: diag.Warning, confidence: 0.6,
			message: "keys that another file gathers are sent to another machine: " + strings.Join(a.Data.Names, ", ")}
		if ownerless(a.To.Text) {
			m.severity, m.confidence = diag.Error, 0.8
		}
		found.Add(finding{engine().byID("credential-send"), m}.diagnostic(d))
		if len(found) == maxMatches {
			break
		}
	}
	return found
}

// unseenBefore returns those of more that stand where found has nothing of the
// same rule.
func unseenBefore(found, more diag.List) diag.List {
	if len(more) == 0 {
		return nil
	}
	type place struct {
		rule string
		pos  diag.Pos
	}
	seen := map[place]bool{}
	for _, f := range found {
		seen[place{f.Rule, f.Pos}] = true
	}
	var out diag.List
	for _, f := range more {
		if p := (place{f.Rule, f.Pos}); !seen[p] {
			seen[p] = true
			out = append(out, f)
		}
	}
	return out
}
