package transfer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// importedJSON is the JSON of the result for one folder.
type importedJSON struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Place string `json:"place"`
	// ID of the proposal that brings it; "" for none.
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

// importing shows an import.
type importing struct {
	*console.Console
	total  int
	batch  bool
	dryRun bool
	// trials are those of an export, nil for folders.
	trials *adoptedJSON
}

// adoptedJSON says what became of the trials of an export.
type adoptedJSON struct {
	// Trials counts those in the export; Ours is set if this workspace wrote it.
	Trials int  `json:"trials"`
	Ours   bool `json:"ours,omitempty"`
	triallog.Adopted
}

// importedExportJSON is the answer for an export; folders are answered by the items alone.
type importedExportJSON struct {
	Items  []importedJSON `json:"items"`
	Trials *adoptedJSON   `json:"trials"`
}

// quietUpTo is the number of folders up to which an import reports no progress.
const quietUpTo = 5

func (v importing) progress(done int) {
	if v.total <= quietUpTo || done%10 != 0 && done != v.total {
		return
	}
	v.Console.Progress("%d/%d", done, v.total)
}

// show prints the result; its error is the exit code.
func (v importing) show(r importer.Result, found diag.List) error {
	failed := slices.ContainsFunc(r.Items, importer.Item.Failed)
	if v.JSON {
		out := []importedJSON{}
		for _, i := range r.Items {
			out = append(out, viewOfImport(i))
		}
		var answer any = out
		if v.trials != nil {
			answer = importedExportJSON{out, v.trials}
		}
		if err := v.Emit(answer); err != nil {
			return err
		}
	} else {
		v.people(r, found)
	}
	if failed {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}

func (v importing) people(r importer.Result, found diag.List) {
	if v.dryRun {
		v.Printf("%s\n", v.Style.Warn("dry run: nothing is written; this is what would happen"))
	}
	var rows [][]string
	for _, i := range r.Items {
		if !i.Failed() {
			rows = append(rows, v.row(i))
		}
	}
	v.Table(rows)
	for _, i := range r.Items {
		if i.Failed() && i.Reason != propose.RuleOpen { // which totals reports once for all
			v.failed(i)
		}
	}
	v.Diagnostics(v.World.Out, found)
	v.totals(r)
	v.adopted()
}

func (v importing) row(i importer.Item) []string {
	what := v.Style.State(i.State)
	var text string
	switch {
	case i.State == importer.StateInForce:
		what, text = v.Style.Dim("in force"), "already in force"
	case i.State == importer.StateProposed:
		what, text = v.Style.Dim("proposed"), "already proposed: "+i.ID
	case v.dryRun:
		text = strings.Join(i.Changes, "; ")
	default:
		text = i.ID
		if len(i.Changes) > 0 {
			text += ": " + strings.Join(i.Changes, "; ")
		}
	}
	return []string{v.Style.Bold(console.OneLine(i.Name)), what, console.OneLine(text)}
}

// failed shows why a folder was not imported.
func (v importing) failed(i importer.Item) {
	id := ""
	if i.ID != "" && !v.dryRun {
		id = " " + i.ID
	}
	v.Printf("%s  %s%s\n", v.Style.Bold(console.OneLine(i.Path)), v.Style.Bad(i.State), console.OneLine(id))
	var why diag.List
	for _, d := range i.Diagnostics {
		if d.Severity == diag.Error {
			why.Add(d)
		}
	}
	v.Diagnostics(v.World.Out, why)
}

// totals counts the results, with the reasons.
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
	text := fmt.Sprintf("%d %s (%d changed to fit) in %s, %d unchanged", imported, verb, changed, console.Plural(r.Proposals, "proposal"), unchanged)
	for _, state := range slices.Sorted(maps.Keys(skipped)) {
		text += fmt.Sprintf(", %d %s", skipped[state], state)
	}
	v.Printf("%s\n", v.Style.Bold(text))
	if v.batch && r.Proposals > 1 {
		v.Printf("the limits let no proposal hold them all, so there are %d, split between groups where possible\n", r.Proposals)
	}
	for _, rule := range order.Sorted(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	}) {
		v.Printf("  %4d  %s\n", reasons[rule], console.OneLine(rule))
	}
	if r.Left > 0 {
		v.Diagnostics(v.World.Out, limitOf(r))
		v.Printf("left: %s; run the same command again when there is room for more proposals\n", console.Plural(r.Left, "folder"))
	}
}

// adopted says what became of the trials of an export.
func (v importing) adopted() {
	switch t := v.trials; {
	case t == nil || t.Trials == 0:
	case t.Ours:
		v.Printf("%s: they are of this workspace\n", console.Plural(t.Trials, "trial"))
	case v.dryRun:
		v.Printf("%s to record, for an installation that policies do not name\n", console.Plural(t.Trials, "trial"))
	case t.Already:
		v.Printf("%s: recorded before, for %s\n", console.Plural(t.Trials, "trial"), t.Writer)
	default:
		v.Printf("%s recorded for %s, which policies do not name\n", console.Plural(t.Recorded, "trial"), t.Writer)
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
