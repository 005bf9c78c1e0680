package policy

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/strictyaml"
)

type rawAutonomy struct {
	Default     string            `yaml:"default"`
	Agents      map[string]string `yaml:"agents"`
	Kinds       map[string]string `yaml:"kinds"`
	Executables []string          `yaml:"executables"`
}

// capabilityKinds are the kinds that may hold code, if the policy says so.
func capabilityKinds() []string { return []string{"skill", "tool", "mcp", "agent"} }

func readAutonomy(doc *strictyaml.Doc, ds *diag.List) Autonomy {
	raw := rawAutonomy{Default: string(Assisted)}
	doc.Decode(&raw, ds)
	out := Autonomy{
		Default:     readMode(ds, doc.Pos("default"), raw.Default),
		Agents:      readModes(doc, ds, "agents", raw.Agents),
		Kinds:       readModes(doc, ds, "kinds", raw.Kinds),
		Executables: raw.Executables,
	}
	for _, kind := range slices.Sorted(maps.Keys(raw.Kinds)) {
		if !slices.Contains(Kinds(), kind) {
			ds.Errorf(RuleKind, doc.Pos("kinds", kind), "use a kind of proposal, such as add or soul", "no kind of proposal: %q", kind)
		}
	}
	for i, kind := range raw.Executables {
		if !slices.Contains(capabilityKinds(), kind) {
			ds.Errorf(RuleKind, doc.Pos("executables", i), "the kinds are skill, tool, mcp and agent", "no kind of capability: %q", kind)
		}
	}
	return out
}

func readModes(doc *strictyaml.Doc, ds *diag.List, section string, raw map[string]string) map[string]Mode {
	out := map[string]Mode{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		out[name] = readMode(ds, doc.Pos(section, name), raw[name])
	}
	return out
}

func readMode(ds *diag.List, pos diag.Pos, text string) Mode {
	if !slices.Contains(Modes(), Mode(text)) {
		ds.Errorf(RuleMode, pos, "the modes are manual, assisted, sandboxed and autonomous", "unknown mode %q", text)
		return Manual
	}
	return Mode(text)
}

// ModeFor returns the mode under which a proposal is judged. An override for an
// agent that is looser than the default counts only for an agent that proved who
// it is; a claimed name can make things stricter, never easier.
func (a Autonomy) ModeFor(agent, kind string, proven bool) Mode {
	best := a.Default
	byAgent, hasAgent := a.Agents[agent]
	if hasAgent && (proven || byAgent.stricter(a.Default)) {
		best = byAgent
	} else {
		hasAgent = false
	}
	if byKind, ok := a.Kinds[kind]; ok && (!hasAgent || byKind.stricter(best)) {
		best = byKind
	}
	if !slices.Contains(Modes(), best) {
		return Manual
	}
	return best
}

func (m Mode) stricter(other Mode) bool {
	return slices.Index(Modes(), m) < slices.Index(Modes(), other)
}
