package engine_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robfig/cron/v3"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/scan"
)

// instance reads the repository's own workspace, which is also the template of
// a new one.
func instance(t *testing.T) tree.View {
	t.Helper()
	root := os.DirFS("..")
	var edits []tree.Edit
	for _, area := range names.GovernedAreas() {
		err := fs.WalkDir(root, string(area), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			content, err := fs.ReadFile(root, path)
			edits = append(edits, tree.Edit{Path: path, Mode: mode(info.Mode()), Content: content})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tree.NewMap(edits...)
}

func mode(m fs.FileMode) tree.Mode {
	switch {
	case !m.IsRegular():
		return tree.Symlink
	case m&0o111 != 0:
		return tree.Executable
	default:
		return tree.Regular
	}
}

func clean(t *testing.T, ds diag.List, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range ds {
		t.Errorf("%s (%s)", d, d.Fix)
	}
}

func TestInstancePaths(t *testing.T) {
	v := instance(t)
	var paths []string
	err := tree.Files(v, "", func(e tree.Entry) error {
		paths = append(paths, e.Path)
		clean(t, names.CheckPath(e.Path), nil)
		clean(t, names.CheckModes(e), nil)
		return nil
	})
	clean(t, names.Collisions(paths), err)
}

func TestInstanceCapabilities(t *testing.T) {
	all, ds, err := capability.Registry(instance(t))
	clean(t, ds, err)
	kinds := map[capability.Kind]int{}
	specs := 0
	for _, c := range all {
		kinds[c.Kind]++
		switch {
		case c.SpecOnly:
			specs++
			if c.Status != capability.Researching {
				t.Errorf("%s: a specification without code is %s", c.Name, c.Status)
			}
		case c.Kind == capability.KindTool && len(c.Suite.Cases) == 0:
			t.Errorf("%s: a tool without tests", c.Name)
		}
		for _, name := range slices.Concat(c.Record.Requires.Capabilities, c.Record.AppliesTo) {
			if !slices.ContainsFunc(all, func(other capability.Capability) bool { return other.Name == name }) {
				t.Errorf("%s: refers to %s, which does not exist", c.Name, name)
			}
		}
	}
	if kinds[capability.KindSkill] < 6 || kinds[capability.KindTool]-specs < 3 || specs != 1 {
		t.Errorf("%v with %d specifications: a new workspace should start with more", kinds, specs)
	}
}

func TestInstanceSouls(t *testing.T) {
	v := instance(t)
	known, _, err := capability.Registry(v)
	clean(t, nil, err)
	agents, err := v.List("soul")
	clean(t, nil, err)
	if len(agents) < 2 {
		t.Errorf("%d agents, want two that work together", len(agents))
	}
	for _, agent := range agents {
		path := tree.Join(agent.Path, "SOUL.md")
		src, err := v.Read(path)
		clean(t, nil, err)
		s, ds := soul.Parse(path, src)
		clean(t, ds, nil)
		clean(t, soul.CheckLimits(path, src, 50), nil)
		protected := soul.DefaultProtected()
		if regions := soul.ProtectedSections(src, protected); len(regions) != len(protected) {
			t.Errorf("%s: %d of %d protected sections", path, len(regions), len(protected))
		}
		for _, e := range s.Learned {
			if written := string(soul.WriteEntry(e)); !strings.Contains(string(src), strings.TrimSpace(written)) {
				t.Errorf("%s: the entry of %s is not as the engine writes it:\n%s", path, e.Name, written)
			}
			if !slices.ContainsFunc(known, func(c capability.Capability) bool {
				return c.Name == e.Name && c.Status == capability.Active
			}) {
				t.Errorf("%s: has learned %s, which is not an active capability", path, e.Name)
			}
		}
		if len(s.Learned) == 0 {
			t.Errorf("%s: has learned nothing", path)
		}
	}
}

// The scanner, the first reader of every proposal, finds nothing to look at.
func TestInstanceScan(t *testing.T) {
	v := instance(t)
	var files []scan.File
	err := tree.Files(v, "", func(e tree.Entry) error {
		content, err := v.Read(e.Path)
		files = append(files, scan.File{Path: e.Path, Mode: e.Mode, Content: content})
		return err
	})
	clean(t, nil, err)
	all, _, err := capability.Registry(v)
	clean(t, nil, err)
	declared := map[string]scan.Declared{}
	for _, c := range all {
		if r := c.Record; !r.Missing {
			declared[c.Path] = scan.Declared{Hosts: r.Requires.Hosts, Secrets: r.Requires.Secrets, SideEffects: r.SideEffects}
		}
	}
	found := slices.DeleteFunc(scan.Files(files, scan.Options{Declared: declared}), func(d diag.Diagnostic) bool { return d.Severity == diag.Note })
	clean(t, found, nil) // notes say what a text makes its reader do
}

var link = regexp.MustCompile(`\]\(([^)#:]+)\)`)

// What a skill points to inside its own folder has to be there.
func TestInstanceReferences(t *testing.T) {
	v := instance(t)
	err := tree.Files(v, capability.Root, func(e tree.Entry) error {
		if !strings.HasSuffix(e.Path, ".md") {
			return nil
		}
		src, err := v.Read(e.Path)
		for _, m := range link.FindAllSubmatch(src, -1) {
			target := filepath.ToSlash(filepath.Join(filepath.Dir(e.Path), string(m[1])))
			if there, err := tree.Exists(v, target); err != nil || !there {
				t.Errorf("%s points to %s, which is not there (%v)", e.Path, m[1], err)
			}
		}
		return err
	})
	clean(t, nil, err)
}

// Every example that a tool's text shows as a payload is one that it accepts.
func TestInstancePayloads(t *testing.T) {
	all, _, err := capability.Registry(instance(t))
	clean(t, nil, err)
	fence := regexp.MustCompile("(?s)```json\n(.*?)```\n\nanswers\n\n```json\n(.*?)```")
	shown := 0
	for _, c := range all {
		for _, m := range fence.FindAllStringSubmatch(c.Skill.Body, -1) {
			shown++
			for i, schema := range []map[string]any{c.Record.Input, c.Record.Output} {
				var value any
				if err := json.Unmarshal([]byte(m[i+1]), &value); err != nil {
					t.Errorf("%s: %v", c.Name, err)
					continue
				}
				compiled, err := capability.CompileSchema(schema)
				if err != nil {
					t.Fatal(err)
				}
				if err := compiled.Check(value); err != nil {
					t.Errorf("%s: %s: %v", c.Name, m[i+1], err)
				}
			}
		}
	}
	if shown == 0 {
		t.Error("no payload is shown anywhere")
	}
}

func TestInstanceWorkflows(t *testing.T) {
	parse := func(expression string) error { _, err := cron.ParseStandard(expression); return err }
	ws, ds, err := workflow.Load(instance(t), parse)
	clean(t, ds, err)
	for _, c := range []struct {
		event workflow.Event
		uses  string
	}{
		{workflow.Event{Name: workflow.ProposalOpened}, "validate"},
		{workflow.Event{Name: workflow.ProposalUpdated}, "validate"},
		{workflow.Event{Name: workflow.ProposalApproved}, "merge"},
		{workflow.Event{Name: workflow.Command, Value: "reconcile"}, "inbox"},
	} {
		if steps := workflow.Plan(ws, c.event); len(steps) != 1 || steps[0].Uses != c.uses {
			t.Errorf("%+v plans %+v, want %s", c.event, steps, c.uses)
		}
	}
}

// The lists of what agents learned stand as the engine writes them, so that a change of
// one that the engine makes is nobody's text.
func TestInstanceLearned(t *testing.T) {
	view := instance(t)
	owner := learn.NewOwner(view)
	for _, agent := range []string{"scout", "smith"} {
		path := "soul/" + agent + "/SOUL.md"
		src, err := view.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		entries, found := soul.ReadLearned(src)
		if len(entries) == 0 || found.HasErrors() {
			t.Fatal(len(entries), found)
		}
		for _, e := range entries {
			if !owner.Owns(e) {
				t.Errorf("%s: the entry of %s is not what the engine writes", path, e.Name)
			}
		}
	}
	if err := owner.Err(); err != nil {
		t.Fatal(err)
	}
}
