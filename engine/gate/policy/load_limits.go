package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/registry/trial"
)

type rawLimits struct {
	LearnedPerAgent      int     `yaml:"learned_per_agent"`
	Synthesised          int     `yaml:"synthesised_per_workspace"`
	OpenPerAgent         int     `yaml:"open_proposals_per_agent"`
	FilesPerProposal     int     `yaml:"files_per_proposal"`
	FileBytes            size    `yaml:"file_bytes"`
	ProposalBytes        size    `yaml:"proposal_bytes"`
	Expiry               age     `yaml:"expiry"`
	ExecutionsPerSession int     `yaml:"executions_per_session"`
	CostPerSession       float64 `yaml:"cost_per_session"`
	TimePerCall          age     `yaml:"time_per_call"`
	MemoryPerCall        size    `yaml:"memory_per_call"`
}

// defaultLimits are used for fields that limits.yaml leaves out. The figures are
// those of the capability seed: 50 learned, 20 synthesised, 7 days, 100 sandbox
// runs, 1.00 a session. Sizes fit any skill folder met in practice. One call may take
// twenty times the default time of a tool, and four times its default memory.
func defaultLimits() rawLimits {
	return rawLimits{
		LearnedPerAgent: 50, Synthesised: 20, OpenPerAgent: 20,
		FilesPerProposal: 500, FileBytes: 1 << 20, ProposalBytes: 10 << 20,
		Expiry:               age(7 * 24 * time.Hour),
		ExecutionsPerSession: 100, CostPerSession: 1,
		TimePerCall: age(10 * time.Minute), MemoryPerCall: 2 << 30,
	}
}

func (r rawLimits) limits() Limits {
	return Limits{
		LearnedPerAgent: r.LearnedPerAgent, Synthesised: r.Synthesised, OpenPerAgent: r.OpenPerAgent,
		FilesPerProposal: r.FilesPerProposal, FileBytes: int64(r.FileBytes), ProposalBytes: int64(r.ProposalBytes),
		Expiry: time.Duration(r.Expiry), ExecutionsPerSession: r.ExecutionsPerSession, CostPerSession: r.CostPerSession,
		TimePerCall: time.Duration(r.TimePerCall), MemoryPerCall: int64(r.MemoryPerCall),
	}
}

func readLimits(doc *strictyaml.Doc, ds *diag.List) Limits {
	raw := defaultLimits()
	doc.Decode(&raw, ds)
	b := bounds{doc, ds}
	b.check("learned_per_agent", float64(raw.LearnedPerAgent), 0, 1000)
	b.check("synthesised_per_workspace", float64(raw.Synthesised), 0, 1e6)
	b.check("open_proposals_per_agent", float64(raw.OpenPerAgent), 0, 10_000)
	b.check("files_per_proposal", float64(raw.FilesPerProposal), 1, 100_000)
	b.check("file_bytes", float64(raw.FileBytes), 1, 1<<30)
	b.check("proposal_bytes", float64(raw.ProposalBytes), 1, 1<<32)
	b.age("expiry", raw.Expiry, age(time.Minute), 366*oneDay)
	b.check("executions_per_session", float64(raw.ExecutionsPerSession), 0, 1e6)
	b.check("cost_per_session", raw.CostPerSession, 0, 1e6)
	b.age("time_per_call", raw.TimePerCall, age(time.Second), oneDay)
	b.check("memory_per_call", float64(raw.MemoryPerCall), 16<<20, 1<<40)
	return raw.limits()
}

// bounds reports numbers that are out of range.
type bounds struct {
	doc *strictyaml.Doc
	ds  *diag.List
}

func (b bounds) check(field string, value, least, most float64) {
	b.at(b.doc.ValuePos(field), field, value, least, most)
}

// at refuses with "not between", so that a NaN is refused too.
func (b bounds) at(pos diag.Pos, field string, value, least, most float64) {
	if !(value >= least && value <= most) {
		b.ds.Errorf(RuleRange, pos, "choose a value in range", "%s must lie between %s and %s", field, plain(least), plain(most))
	}
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (b bounds) age(field string, value, least, most age) {
	if value < least || value > most {
		var at []any
		for name := range strings.SplitSeq(field, ".") { // ValuePos takes the names one by one
			at = append(at, name)
		}
		b.ds.Errorf(RuleRange, b.doc.ValuePos(at...), "choose a length of time in range", "%s must lie between %s and %s", field, least, most)
	}
}

type rawRetention struct {
	Deprecated       age       `yaml:"deprecated"`
	Unused           age       `yaml:"unused"`
	MissionsUnlinked int       `yaml:"missions_unlinked"`
	DegradedAfter    int       `yaml:"degraded_after"`
	RetireAfter      int       `yaml:"retire_after"`
	RetireBelow      int       `yaml:"retire_below"`
	PromoteAfter     int       `yaml:"promote_after"`
	Revalidate       age       `yaml:"revalidate"`
	Artifacts        age       `yaml:"artifacts"`
	Trials           rawTrials `yaml:"trials"`
}

type rawTrials struct {
	Summaries  string            `yaml:"summaries"`
	Store      string            `yaml:"store"`
	EraseAfter age               `yaml:"erase_after"`
	OTLP       string            `yaml:"otlp"`
	Writers    map[string]string `yaml:"writers"`
}

// The words of trials.summaries.
const (
	shortSummaries = "short"
	noSummaries    = "none"
)

// The words of trials.store.
const (
	gitStore      = "git"
	postgresStore = "postgres"
)

// defaultRetention holds the seeds' figures: 30 unused days, 1 000 missions, 3
// failures to degrade, 5 in fewer than 10 uses to retire, 3 recurrences to promote.
// Deprecated capabilities stay for a quarter of a year for their callers.
func defaultRetention() rawRetention {
	return rawRetention{
		Deprecated: age(90 * 24 * time.Hour),
		Unused:     age(30 * 24 * time.Hour), MissionsUnlinked: 1000,
		DegradedAfter: 3, RetireAfter: 5, RetireBelow: 10, PromoteAfter: 3,
		Revalidate: age(30 * 24 * time.Hour), Artifacts: age(30 * 24 * time.Hour),
		Trials: rawTrials{Summaries: noSummaries, Store: gitStore},
	}
}

func (r rawRetention) retention() Retention {
	return Retention{
		Deprecated: time.Duration(r.Deprecated),
		Unused:     time.Duration(r.Unused), MissionsUnlinked: r.MissionsUnlinked,
		DegradedAfter: r.DegradedAfter, RetireAfter: r.RetireAfter, RetireBelow: r.RetireBelow,
		PromoteAfter: r.PromoteAfter, Revalidate: time.Duration(r.Revalidate), Artifacts: time.Duration(r.Artifacts),
		Trials: Trials{
			NoSummaries: r.Trials.Summaries != shortSummaries, Postgres: r.Trials.Store == postgresStore, EraseAfter: time.Duration(r.Trials.EraseAfter),
			OTLP: r.Trials.OTLP, Writers: r.Trials.writers(),
		},
	}
}

func (r rawTrials) writers() map[string]trial.Writer {
	out := map[string]trial.Writer{}
	for name, w := range r.Writers {
		out[name] = trial.Writer(w)
	}
	return out
}

// check reports unknown kinds of summaries and stores, and invalid writers.
func (r rawTrials) check(doc *strictyaml.Doc, ds *diag.List) {
	if r.Summaries != shortSummaries && r.Summaries != noSummaries {
		ds.Errorf(RuleMode, doc.ValuePos("trials", "summaries"), "use short or none", "unknown kind of summaries: %q", r.Summaries)
	}
	if r.Store != gitStore && r.Store != postgresStore {
		ds.Errorf(RuleMode, doc.ValuePos("trials", "store"), "use git or postgres", "unknown store of trials: %q", r.Store)
	}
	if r.OTLP != "" && !advice.SafeURL(r.OTLP) {
		ds.Errorf(RuleHost, doc.ValuePos("trials", "otlp"), "write https://…; http is for this machine only", "records must not be sent to %q", r.OTLP)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Writers)) {
		switch {
		case !identityName().MatchString(name):
			ds.Errorf(RuleName, doc.Pos("trials", "writers", name), "name it in lower-case words joined by '-'", "%q is no name for an installation", name)
		case !trial.Writer(r.Writers[name]).Valid():
			ds.Errorf(RuleKey, doc.Pos("trials", "writers", name), "assent trial writers prints it", "%q is no writer of trials: want 40 hexadecimal digits", r.Writers[name])
		}
	}
}

func readRetention(doc *strictyaml.Doc, ds *diag.List) Retention {
	raw := defaultRetention()
	raw.Trials.Summaries = shortSummaries
	doc.Decode(&raw, ds)
	b := bounds{doc, ds}
	b.age("deprecated", raw.Deprecated, 0, 3660*oneDay)
	b.age("unused", raw.Unused, oneDay, 3660*oneDay)
	b.check("missions_unlinked", float64(raw.MissionsUnlinked), 1, 1e9)
	b.check("degraded_after", float64(raw.DegradedAfter), 1, 1000)
	b.check("retire_after", float64(raw.RetireAfter), 1, 1000)
	b.check("retire_below", float64(raw.RetireBelow), 0, 1e6)
	b.check("promote_after", float64(raw.PromoteAfter), 1, 1000)
	b.age("revalidate", raw.Revalidate, oneDay, 3660*oneDay)
	b.age("artifacts", raw.Artifacts, oneDay, 3660*oneDay)
	if raw.Trials.EraseAfter != 0 { // utility and garbage collection go by the missions of weeks
		b.age("trials.erase_after", raw.Trials.EraseAfter, 30*oneDay, 3660*oneDay)
	}
	raw.Trials.check(doc, ds)
	return raw.retention()
}
