package inforce

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/tools/memory"
	"github.com/assent-dev/assent/engine/workspace"
)

func newInspect(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect NAME",
		Short: "Everything about a capability in force, and where it came from",
		Long: `Inspect shows one capability as it is in force: what it is and needs, which proposal
brought it and which changed it since, which agents have learned it, and how its code
holds up here.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runInspect(cmd.Context(), c, args[0]) },
	}
}

// inspectJSON is one capability with its origin.
type inspectJSON struct {
	capabilityJSON
	Callable     string            `json:"callable"`
	License      string            `json:"license"`
	Metadata     map[string]string `json:"metadata"`
	AllowedTools []string          `json:"allowed_tools"`
	Implements   string            `json:"implements"`
	Models       []string          `json:"models"`
	Tags         []string          `json:"tags"`
	Layer        capability.Layer  `json:"layer"`
	Supersedes   string            `json:"supersedes"`
	// VersionChanges are the recorded differences from the superseded version; SupersededBy are
	// the later versions in force.
	VersionChanges []string `json:"version_changes"`
	Breaking       bool     `json:"breaking"`
	SupersededBy   []string `json:"superseded_by"`
	// Calls are the capabilities that a composed tool calls, as written there, CalledBy the
	// composed tools in force that call this one.
	Calls        []string            `json:"calls"`
	CalledBy     []string            `json:"called_by"`
	Enhances     []string            `json:"enhances"`
	AppliesTo    []string            `json:"applies_to"`
	Requires     capability.Requires `json:"requires"`
	SideEffects  []string            `json:"side_effects"`
	Permissions  []string            `json:"permissions"`
	DeclaredRisk capability.Risk     `json:"declared_risk"`
	Limitations  []string            `json:"limitations"`
	Run          *capability.Run     `json:"run"`
	// Input and Output are the schemas, Signature them in a line.
	Input         map[string]any       `json:"input"`
	Output        map[string]any       `json:"output"`
	Signature     string               `json:"signature"`
	Examples      []capability.Example `json:"examples"`
	Cost          *capability.Cost     `json:"cost"`
	RateLimit     *capability.Rate     `json:"rate_limit"`
	Revalidate    capability.Duration  `json:"revalidate"`
	ErrorPatterns []errorPatternJSON   `json:"error_patterns"`
	Allow         []string             `json:"allow"`
	Deny          []string             `json:"deny"`
	Files         []string             `json:"files"`
	// Tests counts the cases of tests.yaml; Tokens estimates the cost of loading it.
	Tests         int      `json:"tests"`
	Evals         bool     `json:"evals"`
	Tokens        int      `json:"tokens"`
	WhyExecutable []string `json:"why_executable"`
	LearnedBy     []string `json:"learned_by"`
	// Implementations are other capabilities in force that implement this one.
	Implementations []string `json:"implementations"`
	// Ways are the implementations with code, this one included, with their results here.
	Ways []wayJSON `json:"ways"`
	// Origin is the merge that brought the folder, Changes are those since, oldest
	// first. ImplementedBy is the one that gave a specification its code.
	Origin  audit.Entry   `json:"origin"`
	Changes []audit.Entry `json:"changes"`
	// Verified is what the newest of these merges showed.
	Verified      *verifiedJSON `json:"verified,omitempty"`
	ImplementedBy string        `json:"implemented_by"`
	Diagnostics   diag.List     `json:"diagnostics"`
	// Health is the health of its code here; nil if it has no callable code.
	Health *healthRow `json:"health"`
}

func runInspect(ctx context.Context, c *console.Console, name string) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	folder, err := console.CapabilityNamed(cur, name)
	if err != nil {
		return err
	}
	p, diags, err := capability.Load(cur.View, folder.Path)
	if err != nil {
		return fmt.Errorf("read %s as it is in force: %w", folder.Path, err)
	}
	out, err := describe(cur, p)
	if err != nil {
		return err
	}
	if err := out.count(cur); err != nil {
		return err
	}
	out.Diagnostics = append(diag.List{}, diags...)
	if err := out.origin(ctx, cur); err != nil {
		return err
	}
	newest := append([]audit.Entry{out.Origin}, out.Changes...)
	if out.Verified, err = verifiedBy(ctx, cur, folder.Path, newest[len(newest)-1]); err != nil {
		return err
	}
	if out.Health, err = healthHere(ctx, cur, folder.Path); err != nil {
		return err
	}
	if out.Ways, err = waysHere(ctx, c, cur, p); err != nil {
		return err
	}
	stops, err := cur.Stops(ctx)
	if err != nil {
		return err
	}
	out.Stopped = stopOf(stops, out.Name)
	if c.JSON {
		return c.Emit(out)
	}
	printInspected(c, out)
	return nil
}

func describe(cur workspace.Session, p capability.Capability) (inspectJSON, error) {
	rows, err := listed(cur, []index.Entry{{
		Folder: p.Folder, Kind: p.Kind, Version: p.Version, Status: p.Status, Description: p.Description, Category: p.Category,
		Executable: p.Executable, SpecOnly: p.SpecOnly,
	}})
	if err != nil {
		return inspectJSON{}, err
	}
	r := p.Record
	out := inspectJSON{
		capabilityJSON: rows[0], Callable: names.Callable(p.Name), License: p.Skill.License, Metadata: p.Skill.Metadata,
		AllowedTools: console.NonNil(p.Skill.Tools()), Implements: r.Implements, Models: console.NonNil(r.Models), Tags: console.NonNil(r.Tags), Layer: p.Layer(), Supersedes: r.Supersedes,
		AppliesTo:   console.NonNil(r.AppliesTo),
		Requires:    listedNeeds(r.Requires),
		SideEffects: console.NonNil(r.SideEffects), Permissions: console.NonNil(r.Permissions), DeclaredRisk: r.Risk, Limitations: console.NonNil(r.Limitations),
		Allow: console.NonNil(r.Agents.Allow), Deny: console.NonNil(r.Agents.Deny), Tests: len(p.Suite.Cases), Evals: p.HasEvals, Tokens: p.Skill.Tokens(),
	}
	out.record(r)
	out.Run = r.Run
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if out.Files, err = relativeFiles(cur.View, p.Path); err != nil {
		return out, err
	}
	out.WhyExecutable = whyExecutable(p, out.Files)
	if out.Implementations, err = related(cur, index.Implements, p.Name); err != nil {
		return out, err
	}
	if out.SupersededBy, err = related(cur, index.Supersedes, p.Name); err != nil {
		return out, err
	}
	if out.CalledBy, err = related(cur, index.Calls, p.Name); err != nil {
		return out, err
	}
	callees, err := composed.Callees(cur.View, p)
	if err != nil {
		return out, fmt.Errorf("read what %s calls: %w", p.Name, err)
	}
	out.Calls = console.NonNil(callees)
	out.LearnedBy, err = learnedBy(cur, p.Name)
	return out, err
}

func relativeFiles(v tree.View, dir string) ([]string, error) {
	out := []string{}
	err := tree.Files(v, dir, func(e tree.Entry) error {
		out = append(out, strings.TrimPrefix(e.Path, dir+"/"))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	return out, nil
}

// whyExecutable lists the executable parts of a capability.
func whyExecutable(p capability.Capability, files []string) []string {
	out := []string{}
	if !p.Executable {
		return out
	}
	if p.Record.Run != nil {
		out = append(out, strings.TrimSpace("capability.yaml runs "+p.Record.Run.Entry)+" with "+string(p.Record.Run.Runtime))
	}
	scripts := 0
	for _, f := range files {
		if strings.HasPrefix(f, capability.ScriptsDir+"/") {
			scripts++
		}
		if f == capability.ServerFile {
			out = append(out, capability.ServerFile+" describes a server that agents are connected to")
		}
	}
	if scripts > 0 {
		out = append(out, "it has "+console.Plural(scripts, "file")+" in "+capability.ScriptsDir+"/")
	}
	return out
}

// learnedBy lists the agents whose SOUL.md says that they learned a capability.
func learnedBy(cur workspace.Session, name string) ([]string, error) {
	agents, err := console.AgentsIn(cur)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for _, a := range agents {
		entries, err := memory.Learned(cur, a)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if names.Fold(e.Name) == names.Fold(name) {
				out = append(out, a)
				break
			}
		}
	}
	return out, nil
}

// related lists the capabilities in force that stand in a relation to another one.
func related(cur workspace.Session, r index.Relation, name string) ([]string, error) {
	all, err := cur.Capabilities.Related(r, name)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities in force: %w", err)
	}
	out := []string{}
	for _, p := range all {
		if p.Name != name {
			out = append(out, p.Name)
		}
	}
	return out, nil
}
