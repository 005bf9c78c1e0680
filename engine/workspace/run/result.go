package run

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// Result is an agent's answer to a task: its claims, but for what the engine writes.
type Result struct {
	V int `json:"v"`
	// Run, Job and Agent may be left out; what is given must be right.
	Run   string `json:"run,omitempty"`
	Job   string `json:"job,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Outcome is success; `assent task fail` reports a failure.
	Outcome    string  `json:"outcome"`
	Confidence float64 `json:"confidence,omitempty"`
	// Compiles and Covers are written by the engine: whether the proposed code passes its tests, and
	// which points they cover.
	Compiles bool     `json:"compiles,omitempty"`
	Covers   []string `json:"covers,omitempty"`
	// Found and Places are written by the engine: whether each proposed text is found by what it says of when to use it,
	// and where it stands for that and for the run's goal.
	Found  bool    `json:"found,omitempty"`
	Places []Place `json:"places,omitempty"`
	// CostPerUse is in the currency of the workspace.
	CostPerUse  float64  `json:"cost_per_use,omitempty"`
	Secrets     []string `json:"secrets,omitempty"`
	ExternalAPI bool     `json:"external_api,omitempty"`
	// Findings are the answers to the task's questions, by their names.
	Findings map[string]string `json:"findings,omitempty"`
	// Lacks lists points that no test covers, with the reason.
	Lacks map[string]string `json:"lacks,omitempty"`
	// Files are written by the engine: the paths that were delivered.
	Files []string `json:"files,omitempty"`
	Notes string   `json:"notes,omitempty"`
}

// Place is where a capability stands among the answers of a search, from 1; 0 if it is not among the first ones.
type Place struct {
	Capability string `json:"capability"`
	Words      string `json:"words"`
	Place      int    `json:"place"`
	Of         int    `json:"of"`
}

// The bounds of a result, in bytes and entries.
const (
	MaxResult  = 64 << 10
	maxWords   = 16 << 10 // one finding, or the notes
	maxEntries = 50
)

// ResultVersion is the version of results.
const ResultVersion = 1

var word, secretName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`) }),
	sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`) })

// ParseResult reads a result strictly: one JSON object of known fields, each once.
func ParseResult(file string, src []byte) (Result, diag.List) {
	var r Result
	ds := decodeStrictly(file, src, &r)
	if ds.HasErrors() {
		return r, ds
	}
	at := diag.Pos{File: file}
	fault := func(fix, format string, args ...any) { ds.Errorf(RuleResult, at, fix, format, args...) }
	if r.V != ResultVersion {
		fault(`write "v": 1`, "the result has version %d; this program reads %d", r.V, ResultVersion)
	}
	if r.Outcome != "success" {
		fault(`write "outcome": "success", or report the failure with assent task fail`, "unknown outcome %q", clip(r.Outcome))
	}
	if math.IsNaN(r.Confidence) || r.Confidence < 0 || r.Confidence > 1 {
		fault("write a number from 0 to 1", "the confidence is %v", r.Confidence)
	}
	if r.CostPerUse < 0 || r.CostPerUse > 1e9 {
		fault("write what one use costs", "the cost of a use is %v", r.CostPerUse)
	}
	if len(r.Files) > 0 {
		fault("leave files out; name them with --file", "the engine writes which files were delivered")
	}
	if r.Compiles || len(r.Covers) > 0 || r.Found || len(r.Places) > 0 {
		fault("leave them out; tags of cases in tests.yaml say what they cover", "the engine finds out covers and compiles, found and places: it runs the tests and searches")
	}
	if len(r.Findings) > maxEntries || len(r.Lacks) > maxEntries || len(r.Secrets) > maxEntries {
		fault("write fewer", "more than %d entries of one kind", maxEntries)
	}
	for _, name := range r.Secrets {
		if !secretName().MatchString(name) {
			fault("write the name of the variable, never its value", "%q is no name of a secret", clip(name))
		}
	}
	r.texts(fault)
	return r, ds
}

// Masked applies mask to the texts of a result.
func (r *Result) Masked(mask func(string) string) {
	r.Notes, r.Findings, r.Lacks = mask(r.Notes), maps.Clone(r.Findings), maps.Clone(r.Lacks)
	for _, words := range []map[string]string{r.Findings, r.Lacks} {
		for name, text := range words {
			words[name] = mask(text)
		}
	}
}

// texts checks the words of a result.
func (r Result) texts(fault func(fix, format string, args ...any)) {
	for _, list := range []map[string]string{r.Findings, r.Lacks} {
		for name, text := range list {
			if !word().MatchString(name) {
				fault("use lower-case letters, digits and '-'", "%q is no name", clip(name))
			}
			if len(text) > maxWords {
				fault("shorten it, or deliver it as a file", "%q has %d bytes, more than %d", clip(name), len(text), maxWords)
			}
		}
	}
	if len(r.Notes) > maxWords {
		fault("shorten them, or deliver them as a file", "the notes have %d bytes, more than %d", len(r.Notes), maxWords)
	}
}

// Answers checks a result against the requirements of its task.
func (r Result) Answers(file string, j workflow.Job, run, agent string) diag.List {
	var ds diag.List
	at := diag.Pos{File: file}
	for _, claim := range []struct{ field, got, want string }{{"run", r.Run, run}, {"job", r.Job, j.Name}, {"agent", r.Agent, agent}} {
		if claim.got != "" && claim.got != claim.want {
			ds.Errorf(RuleResult, at, "leave the field out, or hand the result in where it belongs", "the result is for %s %q, and this is %q", claim.field, clip(claim.got), claim.want)
		}
	}
	for _, q := range j.Asks {
		if blank(r.Findings[q.Name]) {
			ds.Errorf(RuleAnswer, at, fmt.Sprintf("write it as findings.%s", q.Name), "%q is not answered: %s", q.Name, q.Text)
		}
	}
	return ds
}

// Coverage checks that a result's tests cover the points of its task, or that it says why not.
func (r Result) Coverage(file string, j workflow.Job) diag.List {
	var ds diag.List
	for _, what := range j.Covers {
		if !slices.Contains(r.Covers, what) && blank(r.Lacks[what]) {
			ds.Errorf(RuleAnswer, diag.Pos{File: file}, fmt.Sprintf("add a case with tags: [%s] (docs/formats.md says which counts), or say in lacks.%s why there is none", what, what),
				"no case of tests.yaml covers %s: a case counts for one point, the first of its tags that it can show", what)
		}
	}
	return ds
}

func blank(s string) bool {
	for _, r := range s {
		if r > ' ' {
			return false
		}
	}
	return true
}

func clip(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
