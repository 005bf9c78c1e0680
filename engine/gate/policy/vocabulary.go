package policy

import (
	"fmt"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/provenance"
)

// vocabulary is what conditions of approvals.yaml may speak about, and restricted the
// same without what follows from autonomy.yaml, for that file's own conditions.
var vocabulary, restricted = sync.OnceValue(func() *condition.Vocabulary { return vocabularyWithout("") }),
	sync.OnceValue(func() *condition.Vocabulary { return vocabularyWithout("mode") })

func vocabularyWithout(fact string) *condition.Vocabulary {
	facts := slices.DeleteFunc(FactNames(), func(f condition.Fact) bool { return f.Name == fact })
	return &condition.Vocabulary{Facts: facts, Objects: FactObjects(), Functions: Functions()}
}

// tierValues and classValues are the words of tiers and classes, the lowest first.
func tierValues() []string  { return tierNames[1:] }
func classValues() []string { return classNames[:] }

func modeValues() []string {
	var out []string
	for _, m := range Modes() {
		out = append(out, string(m))
	}
	return out
}

// FactNames lists the facts of conditions, in the order in which they are shown.
// Reviews are none of them: who has approved must not decide who has to.
func FactNames() []condition.Fact {
	return []condition.Fact{
		{Name: "id", Type: "string", Doc: "The proposal's id."},
		{Name: "kind", Type: "string", Values: Kinds(), Doc: "What kind of proposal it is, found by what changes; see proposal-kind in checks.md."},
		{Name: "agent", Type: "string", Doc: "Who proposes, as the proposal's file says: a claim."},
		{Name: "requester", Type: "string", Doc: "Who asked for it (`for:`), or nothing: a claim."},
		{Name: "proposer", Type: "Identity", Doc: "Who opened the pull request, as far as `roles.yaml` knows them."},
		{Name: "authors", Type: "list(string)", Doc: "Identities who may have written commits of the branch, the engine's own left out."},
		{Name: "pushers", Type: "list(string)", Doc: "Identities who may have pushed to the branch."},
		{Name: "pushers_known", Type: "bool", Doc: "Whether it can be seen who pushed."},
		{Name: "sessions", Type: "list(string)", Doc: "Identities who may have set up the machines on which it was proposed or pushed to."},
		{Name: "origins", Type: "list(string)", Values: wayValues(), Doc: "By which ways its versions came in, as the engine recorded it."},
		{Name: "outside", Type: "list(string)", Doc: "Why its content counts as made elsewhere, in words; empty where nothing says so."},
		{Name: "unknown", Type: "list(string)", Doc: "Why nobody knows where its content was made, in words: it came by the inbox or on a branch."},
		{Name: "tools", Type: "list(string)", Doc: "What is said to have made it: a claim."},
		{Name: "open_by_agent", Type: "int", Doc: "The how-many-eth open proposal of the same proposer it is; 0 for a person whose account or signed review of it shows that they are one, and once it is merged."},
		{Name: "labels", Type: "list(string)", Doc: "Labels of the pull request, on forges that have them."},

		{Name: "risk", Type: "string", Values: tierValues(), Doc: "The derived tier."},
		{Name: "risk_reasons", Type: "list(Reason)", Doc: "Everything that was found about the risk, also what did not decide."},
		{Name: "class", Type: "string", Values: classValues(), Doc: "The worst class of the capabilities that are touched; unknown when none is."},
		{Name: "mode", Type: "string", Values: modeValues(), Doc: "The mode of `autonomy.yaml` that applies. Not known to conditions of that file."},

		{Name: "paths", Type: "list(Path)", Doc: "Every changed file."},
		{Name: "files", Type: "int", Doc: "How many files change."},
		{Name: "size", Type: "int", Doc: "Bytes of all files that are new or changed."},
		{Name: "capabilities", Type: "list(Capability)", Doc: "The capabilities with a changed file."},
		{Name: "soul", Type: "list(SoulEdit)", Doc: "The sections of SOUL.md files that differ."},
		{Name: "learned", Type: "map(string, int)", Doc: "Entries in the learned list of each agent whose SOUL.md changes, after the merge."},
		{Name: "synthesised", Type: "int", Doc: "Capabilities in the learned lists of all agents after the merge, which is what agents brought in; 0 where none is added, and once it is merged."},
		{Name: "executable", Type: "bool", Doc: "Whether any of the capabilities holds code."},
		{Name: "hosts", Type: "list(string)", Doc: "Hosts that the capabilities declare, sorted."},
		{Name: "secrets", Type: "list(string)", Doc: "Secrets that the capabilities ask for, sorted."},
		{Name: "side_effects", Type: "list(string)", Doc: "Side effects that the capabilities declare, sorted."},
		{Name: "permissions", Type: "list(string)", Doc: "Permissions that the capabilities ask for, sorted."},

		{Name: "errors", Type: "int", Doc: "Errors that validation found."},
		{Name: "warnings", Type: "int", Doc: "Warnings that validation found, the scanner's included."},
		{Name: "findings", Type: "list(Finding)", Doc: "Everything that validation and the scanner found, notes included."},
		{Name: "scanned", Type: "bool", Doc: "Whether the scanner looked at it; it does not where sizes or names are refused."},
		{Name: "scan_score", Type: "double", Doc: "How much the scanner found, from 0 to 1: the smaller of 1 and the sum of 0.1 for each note (0.2 at most for all), 0.3 for each warning it is unsure of, 0.6 for each other warning and 1.0 for each error."},
		{Name: "injections", Type: "int", Doc: "Places where a text tries to instruct its reader."},
		{Name: "opinions", Type: "list(Opinion)", Doc: "What others said who were asked about this very content."},
		{Name: "tested", Type: "bool", Doc: "Whether an outcome of tests of exactly this content is known."},
		{Name: "tests", Type: "Tests", Doc: "How the tests went; all 0 where none ran."},

		{Name: "state", Type: "string", Values: stateValues(), Doc: "The state of the pull request."},
		{Name: "conflicted", Type: "bool", Doc: "Whether it no longer applies to main."},
		{Name: "broken", Type: "bool", Doc: "Whether main has a break, which whatever merges next resolves."},
		{Name: "waiting", Type: "duration", Doc: "For how long approval has been asked for."},
		{Name: "now", Type: "timestamp", Doc: "The instant of the judgement, in UTC."},
	}
}

func wayValues() []string {
	var out []string
	for _, w := range provenance.Ways() {
		out = append(out, string(w))
	}
	return out
}

func stateValues() []string {
	return []string{string(Open), string(Draft), string(Withdrawn), string(Rejected), string(Merged)}
}

func opValues() []string { return []string{string(Added), string(Modified), string(Removed)} }

// FactObjects lists the types of facts that have fields.
func FactObjects() []condition.Object {
	return []condition.Object{
		{Name: "Identity", Fields: []condition.Fact{
			{Name: "name", Type: "string", Doc: "The name in `roles.yaml`, or as it is claimed where nobody there fits."},
			{Name: "kind", Type: "string", Values: []string{"human", "agent", "unknown"}, Doc: "What `roles.yaml` says it is."},
			{Name: "roles", Type: "list(string)", Doc: "The roles that it holds."},
			{Name: "proven", Type: "bool", Doc: "Whether a key or an account proves who it is."},
		}},
		{Name: "Reason", Fields: []condition.Fact{
			{Name: "rule", Type: "string", Values: riskRuleIDs(), Doc: "The rule that found it."},
			{Name: "tier", Type: "string", Values: tierValues(), Doc: "The tier that it asks for."},
			{Name: "why", Type: "string", Doc: "The sentence that people see."},
			{Name: "file", Type: "string", Doc: "The file that it is about, or nothing."},
		}},
		{Name: "Path", Fields: []condition.Fact{
			{Name: "path", Type: "string", Doc: "From the workspace's root."},
			{Name: "op", Type: "string", Values: opValues(), Doc: "What happens to it."},
			{Name: "size", Type: "int", Doc: "Bytes of the new content."},
		}},
		{Name: "Capability", Fields: capabilityFields()},
		{Name: "SoulEdit", Fields: []condition.Fact{
			{Name: "agent", Type: "string", Doc: "Whose SOUL.md it is."},
			{Name: "section", Type: "string", Doc: "The section's slug, such as `core_truths`."},
			{Name: "mode", Type: "string", Values: []string{"add", "append", "replace", "remove"}, Doc: "What happens to the section."},
			{Name: "protected", Type: "bool", Doc: "Whether text of a protected section differs."},
			{Name: "identity", Type: "string", Doc: "What in its name or changed text names, negates or re-scopes protected matter; empty where nothing does."},
			{Name: "chars", Type: "int", Doc: "New characters."},
			{Name: "engine", Type: "bool", Doc: "Whether the engine alone wrote the difference."},
		}},
		{Name: "Finding", Fields: []condition.Fact{
			{Name: "rule", Type: "string", Doc: "The rule's id; checks.md has a section on each."},
			{Name: "severity", Type: "string", Values: []string{"error", "warning", "note"}, Doc: "How grave it is."},
			{Name: "file", Type: "string", Doc: "The file, or nothing."},
			{Name: "line", Type: "int", Doc: "The line, or 0."},
			{Name: "confidence", Type: "double", Doc: "Above 0 and up to 1; 1 where the rule is exact."},
		}},
		{Name: "Opinion", Fields: []condition.Fact{
			{Name: "asked", Type: "string", Doc: "Who was asked, as the program says that did: a claim."},
			{Name: "verdict", Type: "string", Values: append(advice.Verdicts(), advice.None), Doc: "What they say, the gravest of their findings included; none where no answer could be had."},
			{Name: "reason", Type: "string", Doc: "Why."},
			{Name: "findings", Type: "int", Doc: "How many findings they add."},
		}},
		{Name: "Tests", Fields: []condition.Fact{
			{Name: "passed", Type: "int", Doc: "Cases that passed."},
			{Name: "failed", Type: "int", Doc: "Cases that failed."},
			{Name: "required_failed", Type: "int", Doc: "Cases that failed and are required."},
			{Name: "flaky", Type: "int", Doc: "Cases that passed only sometimes."},
			{Name: "mastery", Type: "double", Doc: "The least mastery of the capabilities that were tested, from 0 to 1."},
		}},
	}
}

func capabilityFields() []condition.Fact {
	return []condition.Fact{
		{Name: "name", Type: "string", Doc: "Its name."},
		{Name: "path", Type: "string", Doc: "Its folder."},
		{Name: "op", Type: "string", Values: opValues(), Doc: "What happens to it."},
		{Name: "kind", Type: "string", Values: capabilityKinds(), Doc: "What kind of capability it is."},
		{Name: "executable", Type: "bool", Doc: "Whether the folder holds code."},
		{Name: "same_code", Type: "bool", Doc: "Whether its code, tests and record are as before, but for the version, the status and what changed."},
		{Name: "class", Type: "string", Values: classValues(), Doc: "Its class."},
		{Name: "status", Type: "string", Doc: "The status after the merge."},
		{Name: "was_status", Type: "string", Doc: "The status before, or nothing."},
		{Name: "category", Type: "string", Doc: "Its category, or nothing."},
		{Name: "description", Type: "string", Doc: "Its description."},
		{Name: "declared_risk", Type: "string", Values: append([]string{""}, tierValues()...), Doc: "The risk that it claims for itself, or nothing."},
		{Name: "cost_per_use", Type: "double", Doc: "What one use costs."},
		{Name: "currency", Type: "string", Doc: "In which currency; nothing for the policy's own."},
		{Name: "secrets", Type: "list(string)", Doc: "Secrets that it asks for."},
		{Name: "hosts", Type: "list(string)", Doc: "Hosts that it declares."},
		{Name: "side_effects", Type: "list(string)", Doc: "Side effects that it declares."},
		{Name: "permissions", Type: "list(string)", Doc: "Permissions that it asks for."},
		{Name: "chars", Type: "int", Doc: "New characters of text."},
		{Name: "chars_removed", Type: "int", Doc: "Characters of text that are gone."},
	}
}

func riskRuleIDs() []string {
	var out []string
	for _, r := range RiskRules() {
		out = append(out, r[0])
	}
	return out
}

// Functions lists the functions that conditions have beside those of CEL.
func Functions() []condition.Function {
	return []condition.Function{
		{
			Name: "touches", Args: 1, Usage: `touches("soul/**")`,
			Doc: "Whether a changed file fits the pattern: `*` stands for anything within a segment of a path, `**` for any number of segments.",
			Call: func(facts condition.Facts, args []string) (bool, error) {
				if err := checkGlob(args[0]); err != nil {
					return false, fmt.Errorf("the pattern %q: %w", args[0], err)
				}
				return touches(changedPaths(facts), args[0]), nil
			},
			Cost: func(facts condition.Facts) int { return len(changedPaths(facts)) },
			Check: func(_ int, text string) error {
				if text == "" || checkGlob(text) != nil {
					return fmt.Errorf("broken pattern %q", text)
				}
				return nil
			},
		},
		{
			Name: "at_least", Args: 2, Ordered: true, Usage: `at_least(risk, "high")`,
			Doc: "Whether a tier, a class or a mode is the second one or a higher one. Of modes, `autonomous` is the highest.",
			Call: func(_ condition.Facts, args []string) (bool, error) {
				for _, order := range [][]string{tierValues(), classValues(), modeValues()} {
					have, want := slices.Index(order, args[0]), slices.Index(order, args[1])
					if have >= 0 && want >= 0 {
						return have >= want, nil
					}
				}
				return false, fmt.Errorf("%q and %q are not two tiers, classes or modes", args[0], args[1])
			},
		},
	}
}

func touches(paths []PathChange, pattern string) bool {
	return slices.ContainsFunc(paths, func(p PathChange) bool { return globMatch(pattern, p.Path) })
}
