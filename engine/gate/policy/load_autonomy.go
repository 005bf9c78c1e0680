package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

type rawAutonomy struct {
	Default     string            `yaml:"default"`
	Agents      map[string]string `yaml:"agents"`
	Kinds       map[string]string `yaml:"kinds"`
	Rules       []rawModeRule     `yaml:"rules"`
	Executables []string          `yaml:"executables"`
	MaximumRisk map[string]string `yaml:"maximum_risk"`
}

type rawModeRule struct {
	Name string          `yaml:"name"`
	When strictyaml.Node `yaml:"when"`
	Mode string          `yaml:"mode"`
}

// CapabilityKinds are the kinds that may hold code, if the policy says so.
func CapabilityKinds() []string { return []string{"skill", "tool", "mcp", "agent"} }

func readAutonomy(doc *strictyaml.Doc, ds *diag.List) Autonomy {
	raw := rawAutonomy{Default: string(Assisted)}
	doc.Decode(&raw, ds)
	out := Autonomy{
		Default:     readMode(ds, doc.Pos("default"), raw.Default),
		Agents:      readModes(doc, ds, "agents", raw.Agents),
		Kinds:       readModes(doc, ds, "kinds", raw.Kinds),
		Rules:       readModeRules(doc, ds, raw.Rules),
		Executables: raw.Executables,
		MaximumRisk: readMaximum(doc, ds, raw.MaximumRisk),
	}
	for _, kind := range slices.Sorted(maps.Keys(raw.Kinds)) {
		if !slices.Contains(Kinds(), kind) {
			ds.Errorf(RuleKind, doc.Pos("kinds", kind), "use a kind of proposal, such as add or soul", "no kind of proposal: %q", kind)
		}
	}
	for i, kind := range raw.Executables {
		if !slices.Contains(CapabilityKinds(), kind) {
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

func readModeRules(doc *strictyaml.Doc, ds *diag.List, raw []rawModeRule) []ModeRule {
	conditions := whenReader{ds: ds, words: restricted}
	var out []ModeRule
	for i, r := range raw {
		rule := ModeRule{Name: r.Name, Pos: doc.Pos("rules", i)}
		if !identityName().MatchString(r.Name) {
			ds.Errorf(RuleName, rule.Pos, "name it in lower-case words joined by '-'; verdicts show the name", "%q is no name for a rule", r.Name)
		}
		rule.When = conditions.read(r.When, rule.Pos)
		rule.Mode = readMode(ds, doc.ValuePos("rules", i, "mode"), r.Mode)
		out = append(out, rule)
	}
	return out
}

// defaultMaximum is the seed's: medium where nothing goes by itself, else high.
func defaultMaximum() map[Mode]Tier {
	return map[Mode]Tier{Manual: Medium, Assisted: High, Sandboxed: High, Autonomous: High}
}

func readMaximum(doc *strictyaml.Doc, ds *diag.List, raw map[string]string) map[Mode]Tier {
	out := defaultMaximum()
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if !slices.Contains(Modes(), Mode(name)) {
			ds.Errorf(RuleMode, doc.Pos("maximum_risk", name), "the modes are manual, assisted, sandboxed and autonomous", "unknown mode %q", name)
			continue
		}
		var t Tier
		if err := t.UnmarshalText([]byte(raw[name])); err != nil || t < Low || t > Critical {
			ds.Errorf(RuleTier, doc.ValuePos("maximum_risk", name), "write low, medium, high or critical", "no tier can be the maximum that is called %q", raw[name])
			continue
		}
		out[Mode(name)] = t
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

// ModeFor returns the mode under which a proposal is judged. An override for an agent that is
// looser than the default counts only if the agent proved its identity; a claimed name can
// make things stricter, never easier.
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

// ModeOf is the mode under which a proposal with these facts, and the risk that they
// give, is judged: that of its agent, or a stricter one of who proposed it or pushed to it.
func ModeOf(p Policies, f Facts, risk Risk) Mode {
	mode, _ := modeOf(p, f, risk)
	return mode
}

// modeOf is the mode under which a proposal is judged, rules included; by says which
// rule asked for it, if one did, or which mode of the agent's own does not count.
func modeOf(p Policies, f Facts, risk Risk) (mode Mode, by string) {
	id, ok := p.Roles.Proven(f.Proposer)
	mode = p.Autonomy.ModeFor(f.Agent, f.Kind, ok && id.Name == f.Agent)
	if own := p.Autonomy.ModeFor(f.Agent, f.Kind, true); mode.stricter(own) {
		by = fmt.Sprintf(" (%s, which autonomy.yaml gives %s, does not count: nothing proves that it was %s who proposed)", own, f.Agent, f.Agent)
	}
	mode, by = p.Autonomy.modeOfParts(f, mode, by, ok && id.Name == f.Agent)
	//defence:modes-follow-who-proposed
	for _, a := range append([]Actor{f.Proposer}, f.Pushers...) {
		if own, listed := p.Autonomy.Agents[a.Name]; listed && own.stricter(mode) {
			mode, by = own, fmt.Sprintf(" (which autonomy.yaml gives %s, who proposed it or pushed to it)", a.Name)
		}
	}
	facts := newKnown(p, f, risk)
	for _, r := range p.Autonomy.Rules {
		if is, note := r.When.matches(facts, r.Pos); is && r.Mode.stricter(mode) {
			mode, by = r.Mode, strings.TrimSuffix(" by the rule "+r.Name+", "+note, ", ")
		}
	}
	return mode, by
}

// modeOfParts makes a mode as strict as that of any kind in the change. A kind that is not listed has the
// agent's mode, unless an undo, a restoration or a repair is what the change is as a whole.
func (a Autonomy) modeOfParts(f Facts, mode Mode, by string, proven bool) (Mode, string) {
	parts, all := f.kinds()
	whole := slices.Contains([]string{"undo", "restore", "repair"}, f.Kind)
	for _, kind := range all {
		own, listed := a.Kinds[kind]
		if !listed && !whole && slices.Contains(parts, kind) {
			own, listed = a.ModeFor(f.Agent, kind, proven), true
		}
		if listed && own.stricter(mode) {
			mode, by = own, " (for its part of kind "+kind+")"
		}
	}
	return mode, by
}

func (m Mode) stricter(other Mode) bool {
	return slices.Index(Modes(), m) < slices.Index(Modes(), other)
}
