package main

import (
	"fmt"
	"slices"
	"strings"
)

// apart are the structs that share fields with others and are no copy of them, with the reason.
// Their names end as given here, so that an older tree is counted in the same way.
var apart = []struct{ structs, reason string }{
	{"check.review check.identity check.attestation", "cmd/assent-verify finds out without the engine's code, on purpose"},
	{"advice.Record proof.Record review.Record review.Again stop.Record", "each record is signed or kept with bytes of its own; what they share is the envelope"},
	{"run.State run.Record run.Job run.Start task.Beginning", "a state is folded from records, a start is what a record keeps of a beginning"},
	{"stop.Held cli.stopJSON inforce.stopJSON", "a record in force, and what a command did"},
	{"policy.RolesChange", "what to change, of which a part is set"},
	{"policy.Identity cli.identityJSON you.identityJSON", "an identity as judged, and as shown with its roles and which keys are here"},
	{"policy.rawSecurity policy.rawAutonomy policy.rawLimits policy.rawRetention policy.rawIdentity capability.caseFile notice.rawTarget advice.rawConfig",
		"what a file says; the other one holds compiled expressions, checked words, and numbers without units"},
	{"capability.NewCase suite.Case", "a case to write, and a case planned from several sources"},
	{"advice.Finding", "an answer that a program gave, which is no finding of the engine"},
	{"render.scanFinding render.scanned", "the flat rows that scan prints"},
	{"policy.findingFact", "what conditions may know of a finding, with the confidence that it has unless stated"},
	{"cli.capabilityJSON cli.matchJSON inforce.capabilityJSON inforce.matchJSON", "rows that commands print; the capability holds its parsed files"},
	{"cli.pulledJSON cli.pulledRunJSON cli.broughtJSON cli.maintenanceJSON cli.importedJSON output.Pulled output.pulledJSON output.pulledRunJSON runs.maintenanceJSON transfer.importedJSON", "what commands print: errors as text, moves as pairs; an interface of its own"},
	{"host.Request", "what a service shows, before it is joined with the record of the proposal"},
	{"forge.Review", "a decision as a forge keeps it; the policy's one is checked and bound to an actor"},
	{"gitea.Options github.Options", "settings of two services"},
	{"acquire.Offer", "text that was given; what was acquired is parsed and named"},
	{"importer.Fitted", "one item fitted into a workspace, of several that were imported"},
	{"proof.Trial", "the signed summary of a report"},
	{"tool.Scored", "the rounded row that a call prints, without the tries in each context"},
}

// staysApart reports whether a struct is no copy, with the reason.
func staysApart(name string) (string, bool) {
	for _, a := range apart {
		for _, s := range strings.Fields(a.structs) {
			if name == s || strings.HasSuffix(name, "/"+s) {
				return a.reason, true
			}
		}
	}
	return "", false
}

// left are the groups without the structs that stay apart.
func (f figures) left() [][]string {
	var out [][]string
	for _, group := range f.Copies {
		rest := slices.DeleteFunc(slices.Clone(group), func(s string) bool { _, is := staysApart(s); return is })
		if len(rest) > 1 {
			out = append(out, rest)
		}
	}
	return out
}

// copyTables lists all groups, with the reason of each struct that stays apart.
func copyTables(all []figures) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s: %d groups, %d of them copies\n", f.Label, len(f.Copies), len(f.left()))
		for _, group := range f.Copies {
			b.WriteByte('\n')
			for _, s := range group {
				b.WriteString(s)
				if reason, is := staysApart(s); is {
					b.WriteString(": " + reason)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}
