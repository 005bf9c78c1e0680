package begin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/proposals/genesis"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/workspace"
)

// fromOptions replace the examples of a new workspace.
type fromOptions struct {
	folders []string
	soul    string
	empty   bool
}

func (o *fromOptions) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.folders, "from", nil, "begin with the skills in and below `DIR`, and without the examples; may be repeated")
	f.StringVar(&o.soul, "soul", "", "begin with `FILE`, such as a SOUL.md, CLAUDE.md or AGENTS.md, as the SOUL.md of the agent")
	f.BoolVar(&o.empty, "empty", false, "begin without the examples below skills/")
}

func (o fromOptions) check(agents []string) error {
	if o.soul != "" && len(agents) != 1 {
		return console.Usage("--soul needs exactly one --agent, whose SOUL.md it becomes")
	}
	return nil
}

// broughtJSON is one folder that --from found.
type broughtJSON struct {
	Path        string    `json:"path"`
	Name        string    `json:"name"`
	Place       string    `json:"place"`
	Skipped     bool      `json:"skipped"`
	Changes     []string  `json:"changes"`
	Diagnostics diag.List `json:"diagnostics"`
}

// quietUpTo is how many folders are fitted without a word about the progress.
const quietUpTo = 5

// apply puts the person's content into the template, and plans the beginning.
func (o fromOptions) apply(ctx context.Context, w *workspace.Workspace, template []tree.Edit, agents []string, say func(string, ...any)) (genesis.Plan, []broughtJSON, error) {
	if o.empty || len(o.folders) > 0 {
		template = slices.DeleteFunc(template, func(e tree.Edit) bool { return names.Area(e.Path) == names.SkillsArea })
		for i := range template {
			forget(&template[i])
		}
	}
	plan, err := genesis.Decide(ctx, w, template)
	if err != nil {
		return plan, nil, err
	}
	if o.soul != "" {
		if template, err = o.withSoul(template, agents[0], plan.Limits); err != nil {
			return plan, nil, err
		}
	}
	if len(o.folders) == 0 {
		if o.soul != "" {
			plan, err = genesis.Decide(ctx, w, template)
			err = errors.Join(err, refuseSoul(plan.Diagnostics, agents[0]))
		}
		return plan, nil, err
	}
	folders, found, err := importer.Find(ctx, o.folders)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, importer.ErrFile):
		return plan, nil, console.Usage("--from: %w", err)
	case err != nil:
		return plan, nil, err
	case found.HasErrors():
		return plan, nil, console.Findings("--from finds nothing to begin with", found)
	}
	founded, err := importer.Found(ctx, folders, plan.Limits, func(some []tree.Edit) (diag.List, error) {
		p, err := genesis.Decide(ctx, w, slices.Concat(template, some))
		return p.Diagnostics, err
	}, func(done int) {
		if len(folders) > quietUpTo && (done%10 == 0 || done == len(folders)) {
			say("%d of %d folders", done, len(folders))
		}
	})
	if err != nil {
		return plan, nil, err
	}
	if plan, err = genesis.Decide(ctx, w, slices.Concat(template, founded.Edits)); err != nil {
		return plan, nil, err
	}
	if len(founded.Edits) > 0 { // else the plan itself has those of the template
		plan.Diagnostics = founded.Diagnostics
	}
	if o.soul != "" {
		err = refuseSoul(plan.Diagnostics, agents[0])
	}
	return plan, broughtBy(founded.Items), err
}

// forget removes what the soul of an example learned: its skills are not brought.
func forget(e *tree.Edit) {
	if names.Area(e.Path) != names.SoulArea {
		return
	}
	learned, _ := soul.ReadLearned(e.Content)
	for _, entry := range learned {
		e.Content, _ = soul.RemoveLearned(e.Content, entry.Name)
	}
}

func broughtBy(items []importer.Item) []broughtJSON {
	out := []broughtJSON{}
	for _, i := range items {
		v := broughtJSON{i.Path, i.Name, i.Place, i.State == importer.StateSkipped, i.Changes, i.Diagnostics}
		if v.Changes == nil {
			v.Changes = []string{}
		}
		if v.Diagnostics == nil {
			v.Diagnostics = diag.List{}
		}
		out = append(out, v)
	}
	return out
}

func soulOf(agent string) string { return string(names.SoulArea) + "/" + agent + "/SOUL.md" }

// withSoul replaces the agent's SOUL.md by the person's file.
func (o fromOptions) withSoul(template []tree.Edit, agent string, l policy.Limits) ([]tree.Edit, error) {
	info, err := os.Lstat(o.soul) // a link in a project could name a private file
	if err != nil {
		return nil, console.Usage("--soul: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > l.FileBytes {
		return nil, console.Usage("--soul %s: it must be a file of at most %d bytes", o.soul, l.FileBytes)
	}
	text, err := folder.ReadFile(o.soul, info, info.Size())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", o.soul, err)
	}
	out := slices.DeleteFunc(slices.Clone(template), func(e tree.Edit) bool { return e.Path == soulOf(agent) })
	return append(out, tree.Edit{Path: soulOf(agent), Content: text}), nil
}

// refuseSoul makes an error of the errors in the person's file.
func refuseSoul(found diag.List, agent string) error {
	var own diag.List
	for _, d := range found {
		if d.File == soulOf(agent) {
			own.Add(d)
		}
	}
	if !own.HasErrors() {
		return nil
	}
	return console.Findings("the file of --soul cannot be a SOUL.md as it is", own)
}

// printBrought shows the result for the folders of --from.
func printBrought(c *console.Console, all []broughtJSON) {
	n := 0
	for _, b := range all {
		if !b.Skipped {
			n++
		}
	}
	if len(all) == 0 {
		return
	}
	c.Field("skills", fmt.Sprintf("%d of %s", n, console.Plural(len(all), "folder")))
	for _, b := range all {
		switch {
		case b.Skipped:
			c.Printf("    %s %s\n", c.Style.Bad("left out"), console.OneLine(filepath.Clean(b.Path)))
			c.Diagnostics(c.World.Out, slices.DeleteFunc(slices.Clone(b.Diagnostics), func(d diag.Diagnostic) bool { return d.Severity != diag.Error }))
		case len(b.Changes) > 0:
			c.Printf("    %s: %s\n", console.OneLine(b.Place), console.OneLine(strings.Join(b.Changes, "; ")))
		}
	}
}
