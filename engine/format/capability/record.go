package capability

import (
	"path"
	"reflect"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/pattern"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// File names inside a capability's folder.
const (
	SkillFile  = "SKILL.md"
	RecordFile = "capability.yaml"
	SuiteFile  = "tests.yaml"
	EvalsFile  = "evals/evals.json"
	ServerFile = "server.json"
	// MethodsFile has the methods of a server as they were reviewed.
	MethodsFile = "methods.yaml"
	AgentFile   = "AGENT.md"
	ScriptsDir  = "scripts"
)

// Record is a capability.yaml: the registry's information beyond SKILL.md. It excludes
// facts that change with every use.
type Record struct {
	Kind    Kind    `yaml:"kind"`
	Version Version `yaml:"version"`
	// Implements is the capability that this one implements; empty means its own name.
	Implements string   `yaml:"implements,omitempty"`
	Layer      Layer    `yaml:"layer,omitempty"`
	Status     Status   `yaml:"status,omitempty"`
	Category   string   `yaml:"category,omitempty"`
	Tags       []string `yaml:"tags,omitempty"`
	// AppliesTo: this skill is linked whenever one of these capabilities is.
	AppliesTo []string `yaml:"applies_to,omitempty"`
	// Models are the models that this skill is for; an empty list means all. With Implements it is a variant of that
	// skill, and linked in its place for these models.
	Models []string `yaml:"models,omitempty"`
	// Enhances: these capabilities work better together with this one.
	Enhances []string `yaml:"enhances,omitempty"`
	// Supersedes is the capability that this one repairs or renews. Changes says how it
	// differs, Breaking whether callers must change.
	Supersedes string   `yaml:"supersedes,omitempty"`
	Changes    []string `yaml:"changes,omitempty"`
	Breaking   bool     `yaml:"breaking,omitempty"`
	Requires   Requires `yaml:"requires,omitempty"`
	Run        *Run     `yaml:"run,omitempty"`
	// Input and Output are JSON Schemas (2020-12) of a tool's argument and answer.
	Input       map[string]any `yaml:"input,omitempty"`
	Output      map[string]any `yaml:"output,omitempty"`
	Examples    []Example      `yaml:"examples,omitempty"`
	Cost        *Cost          `yaml:"cost,omitempty"`
	RateLimit   *Rate          `yaml:"rate_limit,omitempty"`
	SideEffects []string       `yaml:"side_effects,omitempty"`
	// Permissions are those of the operating system.
	Permissions   []string       `yaml:"permissions,omitempty"`
	Risk          Risk           `yaml:"risk,omitempty"`
	Agents        Agents         `yaml:"agents,omitempty"`
	Revalidate    Duration       `yaml:"revalidate,omitempty"`
	Limitations   []string       `yaml:"limitations,omitempty"`
	ErrorPatterns []ErrorPattern `yaml:"error_patterns,omitempty"`
	// Missing is true when the folder has no capability.yaml: a prompt skill.
	Missing bool `yaml:"-"`
}

// RunsAs reports whether two records run the same program in the same way with the same
// promises. Version, status and changes may differ.
func (r Record) RunsAs(other Record) bool {
	r.Version, r.Status, r.Changes = other.Version, other.Status, other.Changes
	return reflect.DeepEqual(r, other)
}

// Requires lists the prerequisites of a capability.
type Requires struct {
	Capabilities []string `yaml:"capabilities,omitempty" json:"capabilities"`
	Optional     []string `yaml:"optional,omitempty" json:"optional"` // capabilities that it uses if they exist
	Secrets      []string `yaml:"secrets,omitempty" json:"secrets"`   // names of environment variables
	Bins         []string `yaml:"bins,omitempty" json:"bins"`         // programs
	Hosts        []string `yaml:"hosts,omitempty" json:"hosts"`       // host:port
}

// Run is how a tool's code is started.
type Run struct {
	Runtime Runtime  `yaml:"runtime" json:"runtime"`
	Entry   string   `yaml:"entry,omitempty" json:"entry"` // path inside the folder, below scripts/
	Timeout Duration `yaml:"timeout,omitempty" json:"timeout"`
	Memory  Size     `yaml:"memory,omitempty" json:"memory"`
	Write   bool     `yaml:"write,omitempty" json:"write"` // may write files in its sandbox's folder
}

// Example is one call that shows the use of a tool.
type Example struct {
	Description string `yaml:"description,omitempty" json:"description"`
	Input       any    `yaml:"input,omitempty" json:"input"`
	Output      any    `yaml:"output,omitempty" json:"output"`
}

// Cost is the price of one use.
type Cost struct {
	PerUse   float64 `yaml:"per_use" json:"per_use"`
	Currency string  `yaml:"currency" json:"currency"` // ISO 4217
}

// Agents limits which agents may use a capability. An empty Allow admits all, and Deny
// has priority.
type Agents struct {
	Allow []string `yaml:"allow,omitempty"`
	Deny  []string `yaml:"deny,omitempty"`
}

// Admits reports whether agent may use the capability.
func (a Agents) Admits(agent string) bool {
	for _, denied := range a.Deny {
		if denied == agent {
			return false
		}
	}
	for _, allowed := range a.Allow {
		if allowed == agent {
			return true
		}
	}
	return len(a.Allow) == 0
}

// ErrorPattern explains a known error of a capability. Its frequency changes with every
// use and is in no file.
type ErrorPattern struct {
	Type  string `yaml:"type,omitempty" json:"type"` // a lower-case word such as timeout
	Match string `yaml:"match" json:"match"`         // regular expression (RE2)
	Means string `yaml:"means" json:"means"`
	Fix   string `yaml:"fix,omitempty" json:"fix"` // what to do about it
	// Solutions are further things to try, in this order.
	Solutions []string `yaml:"solutions,omitempty" json:"solutions"`
	// Prevention says how to avoid the error.
	Prevention string `yaml:"prevention,omitempty" json:"prevention"`
	// Resolved: this version no longer has the error; if it occurs, it has returned.
	Resolved bool `yaml:"resolved,omitempty" json:"resolved"`
}

// ParseRecord reads a capability.yaml strictly and checks everything that depends on the
// file alone. file is its path.
func ParseRecord(file string, src []byte) (Record, diag.List) {
	r, _, out := parseRecord(file, src)
	return r, out
}

func parseRecord(file string, src []byte) (Record, *strictyaml.Doc, diag.List) {
	r, doc, decoded, out := decodeRecord(file, src)
	if !decoded {
		return r, doc, out
	}
	c := recordCheck{r: r, doc: doc, name: path.Base(path.Dir(file)), out: &out, patterns: &pattern.Budget{}}
	c.all()
	return r, doc, out
}

// decodeRecord decodes the file and checks only its form; decoded is false if the YAML is
// invalid.
func decodeRecord(file string, src []byte) (r Record, doc *strictyaml.Doc, decoded bool, out diag.List) {
	doc, out = strictyaml.Parse(file, src, 1, strictyaml.DefaultLimits())
	if out.HasErrors() {
		return r, doc, false, out
	}
	doc.Decode(&r, &out)
	if r.Status == "" && doc.Root().Get("status").Kind() == strictyaml.Absent {
		r.Status = Active
	}
	return r, doc, true, out
}
