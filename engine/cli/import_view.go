package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// importedJSON is what became of one folder, as machines get it.
type importedJSON struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Place string `json:"place"`
	// ID of the proposal that brings it; "" when none does.
	ID string `json:"id"`
	// State of that proposal, or in_force, proposed or skipped.
	State       string    `json:"state"`
	Changes     []string  `json:"changes"`
	Skipped     bool      `json:"skipped"`
	Reason      string    `json:"reason"`
	Diagnostics diag.List `json:"diagnostics"`
}

func viewOfImport(i importer.Item) importedJSON {
	v := importedJSON{
		Path: i.Path, Name: i.Name, Place: i.Place, ID: i.ID, State: i.State, Changes: i.Changes,
		Skipped: i.State == importer.StateSkipped, Reason: i.Reason, Diagnostics: i.Diagnostics,
	}
	if v.Changes == nil {
		v.Changes = []string{}
	}
	if v.Diagnostics == nil {
		v.Diagnostics = diag.List{}
	}
	return v
}

// importing shows an import to whoever asked for it.
type importing struct {
	*console
	total  int
	batch  bool
	dryRun bool
}

// quietUpTo is how many folders are imported without telling how far it got.
const quietUpTo = 5

func (v importing) progress(done int) {
	if v.total <= quietUpTo || done%10 != 0 && done != v.total {
		return
	}
	v.console.progress("%d/%d", done, v.total)
}

// show prints the result; its error is the exit code.
func (v importing) show(r importer.Result, found diag.List) error {
	failed := slices.ContainsFunc(r.Items, importer.Item.Failed)
	if v.json {
		out := []importedJSON{}
		for _, i := range r.Items {
			out = append(out, viewOfImport(i))
		}
		if err := v.emit(out); err != nil {
			return err
		}
	} else {
		v.people(r, found)
	}
	if failed {
		return quiet(exitFindings)
	}
	return nil
}

func (v importing) people(r importer.Result, found diag.List) {
	if v.dryRun {
		v.printf("%s\n", v.style.warn("dry run: nothing is written; this is what would happen"))
	}
	var rows [][]string
	for _, i := range r.Items {
		if !i.Failed() {
			rows = append(rows, v.row(i))
		}
	}
	v.table(rows)
	for _, i := range r.Items {
		if i.Failed() && i.Reason != propose.RuleOpen { // which totals tells once for all
			v.failed(i)
		}
	}
	v.diagnostics(v.world.Out, found)
	v.totals(r)
}

func (v importing) row(i importer.Item) []string {
	what := v.state(i.State)
	var text string
	switch {
	case i.State == importer.StateInForce:
		what, text = v.style.dim("in force"), "already in force"
	case i.State == importer.StateProposed:
		what, text = v.style.dim("proposed"), "already proposed: "+i.ID
	case v.dryRun:
		text = strings.Join(i.Changes, "; ")
	default:
		text = i.ID
		if len(i.Changes) > 0 {
			text += ": " + strings.Join(i.Changes, "; ")
		}
	}
	return []string{v.style.bold(oneLine(i.Name)), what, oneLine(text)}
}

// failed tells why a folder was not imported.
func (v importing) failed(i importer.Item) {
	id := ""
	if i.ID != "" && !v.dryRun {
		id = " " + i.ID
	}
	v.printf("%s  %s%s\n", v.style.bold(oneLine(i.Path)), v.style.bad(i.State), oneLine(id))
	var why diag.List
	for _, d := range i.Diagnostics {
		if d.Severity == diag.Error {
			why.Add(d)
		}
	}
	v.diagnostics(v.world.Out, why)
}

// totals counts what happened, and why not.
func (v importing) totals(r importer.Result) {
	imported, unchanged, changed := 0, 0, 0
	skipped, reasons := map[string]int{}, map[string]int{}
	for _, i := range r.Items {
		switch {
		case i.Failed():
			skipped[i.State]++
			reasons[i.Reason]++
		case i.Unchanged:
			unchanged++
		default:
			imported++
			if len(i.Changes) > 0 {
				changed++
			}
		}
	}
	verb := "imported"
	if v.dryRun {
		verb = "to import"
	}
	text := fmt.Sprintf("%d %s (%d changed to fit) in %s, %d unchanged", imported, verb, changed, plural(r.Proposals, "proposal"), unchanged)
	for _, state := range slices.Sorted(maps.Keys(skipped)) {
		text += fmt.Sprintf(", %d %s", skipped[state], state)
	}
	v.printf("%s\n", v.style.bold(text))
	if v.batch && r.Proposals > 1 {
		v.printf("the limits let no proposal hold them all, so there are %d, split between groups where possible\n", r.Proposals)
	}
	for _, rule := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	}) {
		v.printf("  %4d  %s\n", reasons[rule], oneLine(rule))
	}
	if r.Left > 0 {
		v.diagnostics(v.world.Out, limitOf(r))
		v.printf("left: %s; run the same command again when there is room for more proposals\n", plural(r.Left, "folder"))
	}
}

// limitOf is why folders were left.
func limitOf(r importer.Result) diag.List {
	for _, i := range slices.Backward(r.Items) {
		if i.Reason == propose.RuleOpen {
			return i.Diagnostics[len(i.Diagnostics)-1:]
		}
	}
	return nil
}
