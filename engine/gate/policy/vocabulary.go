package policy

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/condition"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/provenance"
)

// vocabulary has the facts for conditions of approvals.yaml. restricted lacks those derived from
// autonomy.yaml: it is for that file's own conditions.
var vocabulary, restricted = sync.OnceValue(func() *condition.Vocabulary { return vocabularyWithout("") }),
	sync.OnceValue(func() *condition.Vocabulary { return vocabularyWithout("mode") })

func vocabularyWithout(fact string) *condition.Vocabulary {
	facts := slices.DeleteFunc(FactNames(), func(f condition.Fact) bool { return f.Name == fact })
	return &condition.Vocabulary{Facts: facts, Objects: FactObjects(), Functions: Functions()}
}

// FactNames returns the facts of conditions, in the order in which they are shown. Reviews are not
// among them: given approvals must not decide which approvals are required.
func FactNames() []condition.Fact {
	var out []condition.Fact
	for _, f := range facts().all {
		out = append(out, f.Fact)
	}
	return out
}

// FactObjects lists the types of facts that have fields.
func FactObjects() []condition.Object { return facts().schema.Objects() }

// fact is a fact of conditions with its value.
type fact struct {
	condition.Fact
	of func(*known) any
}

// facts are read from the tags of Facts and from the table of derived facts at the first condition.
var facts = sync.OnceValue(func() (out struct {
	schema *condition.Schema
	all    []fact
}) {
	out.schema = condition.NewSchema(wordLists(), objects()...)
	for _, f := range out.schema.Fields(reflect.TypeFor[Facts]()) {
		out.all = append(out.all, fact{f.Fact, func(k *known) any { return f.Of(out.schema, reflect.ValueOf(k.f)) }})
	}
	for _, d := range derivedFacts() {
		out.all = append(out.all, fact{
			out.schema.Fact(d.name, d.result, d.words, d.doc),
			func(k *known) any { return out.schema.Plain(reflect.ValueOf(d.of(k))) },
		})
	}
	return out
})

// wordLists returns the lists that `values` tags name.
func wordLists() map[string][]string {
	return map[string][]string{
		"kinds": Kinds(), "capability kinds": CapabilityKinds(), "risk rules": riskRuleIDs(),
		"verdicts": append(advice.Verdicts(), advice.None),
	}
}

// objects are the types of facts that have fields.
func objects() []condition.Named {
	return []condition.Named{
		{Name: "Identity", Type: reflect.TypeFor[identityFact]()},
		{Name: "Reason", Type: reflect.TypeFor[reasonFact]()},
		{Name: "Path", Type: reflect.TypeFor[PathChange]()},
		{Name: "Capability", Type: reflect.TypeFor[Capability]()},
		{Name: "SoulEdit", Type: reflect.TypeFor[SoulEdit]()},
		{Name: "Finding", Type: reflect.TypeFor[findingFact]()},
		{Name: "Opinion", Type: reflect.TypeFor[opinionFact]()},
		{Name: "Tests", Type: reflect.TypeFor[Tests]()},
	}
}

type identityFact struct {
	Name   string   `fact:"name" doc:"The name in roles.yaml, or the claimed name if no entry fits."`
	Kind   string   `fact:"kind" values:"human,agent,unknown" doc:"What roles.yaml says it is."`
	Roles  []string `fact:"roles" doc:"The roles that it holds."`
	Proven bool     `fact:"proven" doc:"Whether a key or an account proves who it is."`
}

type reasonFact struct {
	Rule string `fact:"rule" values:"risk rules" doc:"The rule that found it."`
	Tier Tier   `fact:"tier" doc:"The tier that it asks for."`
	Why  string `fact:"why" doc:"The sentence that people see."`
	File string `fact:"file" doc:"The file that it is about, or nothing."`
}

type findingFact struct {
	Rule       string        `fact:"rule" doc:"The rule's id; checks.md has a section on each."`
	Severity   diag.Severity `fact:"severity" values:"error,warning,note" doc:"How grave it is."`
	File       string        `fact:"file" doc:"The file, or nothing."`
	Line       int           `fact:"line" doc:"The line, or 0."`
	Confidence float64       `fact:"confidence" doc:"Above 0 and up to 1; 1 where the rule is exact."`
}

type opinionFact struct {
	Asked    string `fact:"asked" doc:"Who was asked, according to the program that asked: a claim."`
	Verdict  string `fact:"verdict" values:"verdicts" doc:"The verdict, or the gravest of its findings; none if there was no usable answer."`
	Reason   string `fact:"reason" doc:"Why."`
	Findings int    `fact:"findings" doc:"How many findings they add."`
}

// derivedFact is a fact that no field of Facts holds as it is.
type derivedFact struct {
	name, doc, words string
	result           reflect.Type
	of               func(*known) any
}

func derived[T any](name, doc string, of func(*known) T) derivedFact {
	return derivedFact{name: name, doc: doc, result: reflect.TypeFor[T](), of: func(k *known) any { return of(k) }}
}

// derivedFacts follow from Facts, Policies and Risk.
func derivedFacts() []derivedFact {
	return slices.Concat(actorFacts(), riskFacts(), changeFacts(), evidenceFacts(), timeFacts())
}

func actorFacts() []derivedFact {
	return []derivedFact{
		derived("proposer", "Who opened the pull request, as far as `roles.yaml` knows them.", func(k *known) identityFact { return k.p.Roles.fact(k.f.Proposer) }),
		derived("authors", "Identities who may have written commits of the branch, the engine's own left out.", func(k *known) []string { return k.p.Roles.possible(k.f.Authors) }),
		derived("pushers", "Identities who may have pushed to the branch.", func(k *known) []string { return k.p.Roles.possible(k.f.Pushers) }),
		derived("sessions", "Identities who may have set up the machines on which it was proposed or pushed to.", func(k *known) []string { return k.p.Roles.possible(k.f.Sessions) }),
		derived("origins", "The ways by which its versions came in, as the engine recorded them.", func(k *known) []provenance.Way { return k.f.Provenance.ways() }),
		derived("outside", "Why its content counts as made elsewhere, in words; empty where nothing says so.", func(k *known) []string { return k.f.Provenance.Outside() }),
		derived("unknown", "Why the origin of its content is unknown, in words: it came by the inbox or on a branch.", func(k *known) []string { return k.f.Provenance.Unknown() }),
	}
}

func riskFacts() []derivedFact {
	return []derivedFact{
		derived("risk", "The derived tier.", func(k *known) Tier { return k.risk.Tier }),
		derived("risk_reasons", "Everything that was found about the risk, including what did not decide.", (*known).reasons),
		derived("class", "The worst class of the capabilities that are touched; unknown when none is.", func(k *known) Class { return k.risk.Class }),
		derived("mode", "The mode of `autonomy.yaml` that applies. Not known to conditions of that file.", func(k *known) Mode { return ModeOf(k.p, k.f, k.risk) }),
	}
}

func changeFacts() []derivedFact {
	all := func(name, doc string, of func(Capability) []string) derivedFact {
		return derived(name, doc, func(k *known) []string {
			set := map[string]bool{}
			for _, c := range k.f.Capabilities {
				for _, text := range of(c) {
					set[text] = true
				}
			}
			return slices.Sorted(maps.Keys(set))
		})
	}
	return []derivedFact{
		derived("files", "How many files change.", func(k *known) int { return len(k.f.Paths) }),
		derived("capabilities", "The capabilities with a changed file.", (*known).capabilities),
		derived("soul", "The sections of SOUL.md files that differ.", (*known).soul),
		derived("executable", "Whether any of the capabilities holds code.", func(k *known) bool {
			return slices.ContainsFunc(k.f.Capabilities, func(c Capability) bool { return c.Executable && c.Op != Removed })
		}),
		all("hosts", "Hosts that the capabilities declare, sorted.", func(c Capability) []string { return c.Hosts }),
		all("secrets", "Secrets that the capabilities ask for, sorted.", func(c Capability) []string { return c.Secrets }),
		all("side_effects", "Side effects that the capabilities declare, with the known words that texts among them name, sorted.", func(c Capability) []string { return c.SideEffects }),
		all("permissions", "Permissions that the capabilities ask for, sorted.", func(c Capability) []string { return c.Permissions }),
	}
}

func evidenceFacts() []derivedFact {
	return []derivedFact{
		derived("findings", "Everything that validation and the scanner found, including notes.", (*known).findings),
		derived("injections", "Places where a text tries to instruct its reader.", func(k *known) int { return len(k.f.Scan.Injections) }),
		derived("opinions", "The second opinions about this very content.", (*known).opinions),
		derived("tested", "Whether an outcome of tests of exactly this content is known.", func(k *known) bool { return k.f.Tests != nil }),
	}
}

func timeFacts() []derivedFact {
	return []derivedFact{
		derived("waiting", "How long it has been since approval was asked for.", func(k *known) time.Duration { return k.f.Now.Sub(k.f.RequestedAt) }),
		derived("now", "The instant of the judgement, in UTC.", func(k *known) time.Time { return k.f.Now.UTC() }),
	}
}

func riskRuleIDs() []string {
	var out []string
	for _, r := range RiskRules() {
		out = append(out, r[0])
	}
	return out
}

// texts are the words of named texts.
func texts[T ~string](list []T) []string {
	out := make([]string, 0, len(list))
	for _, w := range list {
		out = append(out, string(w))
	}
	return out
}

// Values lists the words of tiers, the lowest first.
func (Tier) Values() []string { return tierNames[1:] }

// Values lists the words of classes, the lowest first.
func (Class) Values() []string { return classNames[:] }

// Values lists the modes, the strictest first.
func (Mode) Values() []string { return texts(Modes()) }

// Values lists the states.
func (State) Values() []string { return texts([]State{Open, Draft, Withdrawn, Rejected, Merged}) }

// Values lists the operations.
func (Op) Values() []string { return texts([]Op{Added, Modified, Removed}) }
