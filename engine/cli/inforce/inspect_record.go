package inforce

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/health"
)

// errorPatternJSON is an error pattern of the record, and how often it was met here.
type errorPatternJSON struct {
	capability.ErrorPattern
	// Seen counts the failed calls here that it explained, from FirstSeen to LastSeen; Returned
	// are those made although the record says that it is resolved, nil for none.
	Seen      int              `json:"seen"`
	FirstSeen time.Time        `json:"first_seen,omitzero"`
	LastSeen  time.Time        `json:"last_seen,omitzero"`
	Returned  *health.Returned `json:"returned,omitempty"`
}

// record fills in further fields of the record.
func (p *inspectJSON) record(r capability.Record) {
	p.VersionChanges, p.Breaking, p.Enhances = console.NonNil(r.Changes), r.Breaking, console.NonNil(r.Enhances)
	p.Input, p.Output, p.Signature = r.Input, r.Output, r.Signature()
	p.RateLimit, p.Revalidate = r.RateLimit, r.Revalidate
	p.Cost, p.Examples, p.ErrorPatterns = r.Cost, console.NonNil(r.Examples), []errorPatternJSON{}
	for _, e := range r.ErrorPatterns {
		e.Solutions = console.NonNil(e.Solutions)
		p.ErrorPatterns = append(p.ErrorPatterns, errorPatternJSON{ErrorPattern: e})
	}
}

// listedNeeds are needs whose lists are written as [] where they are empty.
func listedNeeds(r capability.Requires) capability.Requires {
	for _, list := range []*[]string{&r.Capabilities, &r.Optional, &r.Secrets, &r.Bins, &r.Hosts} {
		*list = console.NonNil(*list)
	}
	return r
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(text)
}

// printRecord shows the record for people.
func printRecord(c *console.Console, p inspectJSON) {
	c.Optional("layer", string(p.Layer))
	c.Optional("takes", p.Signature)
	for _, e := range p.Examples {
		c.Field("example", console.OneLine(strings.TrimSuffix(jsonText(e.Input)+"  "+e.Description, "  ")))
	}
	c.Optional("supersedes", p.superseded())
	for _, change := range p.VersionChanges {
		c.Field("differs", console.OneLine(change))
	}
	c.Optional("replaced by", strings.Join(p.SupersededBy, ", "))
	c.Optional("calls", console.OneLine(strings.Join(p.Calls, ", ")))
	c.Optional("called by", strings.Join(p.CalledBy, ", "))
	c.Optional("models", strings.Join(p.Models, ", "))
	c.Optional("enhances", strings.Join(p.Enhances, ", "))
	c.Optional("limits", strings.Join(p.limits(), ", "))
	for _, e := range p.ErrorPatterns {
		c.Field("error", console.OneLine(errorText(e)))
	}
}

func (p inspectJSON) superseded() string {
	if p.Breaking {
		return p.Supersedes + ", whose callers have to change"
	}
	return p.Supersedes
}

// limits are cost, rate, time and memory.
func (p inspectJSON) limits() []string {
	var out []string
	if p.Cost != nil {
		out = append(out, fmt.Sprintf("%g %s a use", p.Cost.PerUse, p.Cost.Currency))
	}
	if p.RateLimit != nil {
		out = append(out, "at most "+marshalled(p.RateLimit))
	}
	if p.Run != nil && p.Run.Timeout > 0 {
		out = append(out, marshalled(p.Run.Timeout)+" a run")
	}
	if p.Run != nil && p.Run.Memory > 0 {
		out = append(out, marshalled(p.Run.Memory)+" of memory")
	}
	if p.Revalidate > 0 {
		out = append(out, "measured again every "+marshalled(p.Revalidate))
	}
	return out
}

func marshalled(v interface{ MarshalText() ([]byte, error) }) string {
	text, err := v.MarshalText()
	if err != nil {
		return "?"
	}
	return string(text)
}

func errorText(e errorPatternJSON) string {
	out := fmt.Sprintf("/%s/ means %s", e.Match, e.Means)
	if e.Type != "" {
		out = e.Type + ": " + out
	}
	for _, fix := range append([]string{e.Fix}, e.Solutions...) {
		if fix != "" {
			out += "; try: " + fix
		}
	}
	if e.Prevention != "" {
		out += "; to prevent it: " + e.Prevention
	}
	if e.Resolved {
		out += " (resolved)"
	}
	if e.Seen > 0 {
		out += fmt.Sprintf("; seen here: %d, first %s, last %s", e.Seen, dated(e.FirstSeen), dated(e.LastSeen))
	}
	if r := e.Returned; r != nil {
		out += fmt.Sprintf("; returned though resolved: %d, first %s, last %s in %s", r.Seen, dated(r.First), dated(r.Last), r.Version)
	}
	return out
}
