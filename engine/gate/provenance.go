package gate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/policy"
)

var address = regexp.MustCompile(`(?i)\bhttps?://[^\s<>"')\]]+`)

// provenance returns the origins and sessions of a proposal's versions, from the records of
// its pushes. Versions that the engine made need no record; unreadable records are
// ignored.
func (c Case) provenance() (policy.Provenance, []policy.Actor) {
	var out policy.Provenance
	var sessions []policy.Actor
	for _, p := range c.Activity.Pushes {
		if p.Engine {
			continue
		}
		rec, err := provenance.Decode(p.Provenance)
		if err != nil {
			out.Unrecorded++
			continue
		}
		if rec.Tool != "" && !slices.Contains(out.Tools, rec.Tool) {
			out.Tools = append(out.Tools, rec.Tool)
		}
		if !slices.Contains(out.Origins, rec.Origin) {
			out.Origins = append(out.Origins, rec.Origin)
		}
		who := policy.Actor{Email: rec.Session.Email, Claimed: rec.Session.Key}
		if !who.IsZero() && !slices.Contains(sessions, who) {
			sessions = append(sessions, who)
		}
	}
	out.Copies = c.Copies
	if gap := c.Proposal.Gap; gap != nil {
		for _, e := range gap.Evidence {
			for _, u := range address.FindAllString(e, -1) {
				out.URLs = append(out.URLs, strings.TrimRight(u, ".,;:!?")) // which end the sentence
			}
		}
	}
	slices.Sort(out.URLs)
	out.URLs = slices.Compact(out.URLs)
	return out, sessions
}

// recorded reports whether any origin of a version is recorded. Then the proposal is not
// older than such records, even if its attestation omits them.
func (c Case) recorded() bool {
	return slices.ContainsFunc(c.Activity.Pushes, func(p forge.Push) bool { return len(p.Provenance) > 0 })
}

// ProvenanceDigest identifies the provenance records of a proposal, byte for byte. The
// attestation of its merge contains it.
func (c Case) ProvenanceDigest() string {
	var all strings.Builder
	for _, p := range c.Activity.Pushes {
		if !p.Engine {
			fmt.Fprintf(&all, "%s %q\n", p.New, p.Provenance)
		}
	}
	return canonical.Digest([]byte(all.String()))
}
