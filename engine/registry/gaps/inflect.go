package gaps

import (
	"regexp"
	"strings"
	"sync"
)

// inflections are the rules and exceptions of English endings.
type inflections struct {
	// whole are words that only look like a plural or a verb in -ing. s and es are those that lose just this ending,
	// against the rule. nouns are irregular plurals.
	whole, s, es map[string]bool
	nouns        map[string]string
	// dropped finds the stems before -ing that lost an e, bare those that did not, against the rule. kept finds those
	// that end in a double consonant by themselves, dying those in which y stands for ie.
	dropped, bare, kept, dying *regexp.Regexp
}

// prefixes stand before a verb of one syllable, which has its own rule.
const prefixes = `(?:re|un|over|out|up|down|pre|de|mis|under|fore|(?:re)?in|en|be|back|auto)?`

var english = sync.OnceValue(func() inflections {
	suffix := func(parts ...string) *regexp.Regexp {
		return regexp.MustCompile(`(?:` + strings.Join(parts, "|") + `)$`)
	}
	words := func(list string) string { return strings.Join(strings.Fields(list), "|") }
	out := inflections{
		whole: setOf(`kubernetes postgres jenkins windows series species sales news lens https pandas keras chaos macos cosmos kudos ethos pathos thermos bias alias canvas atlas texas christmas always
			devops gitops mlops finops clothes corps diabetes binoculars thanks earnings premises kansas dallas mars scissors trousers headquarters morning evening ceiling sibling herring pudding viking something anything nothing everything during wedding inning lightning sterling`),
		s: setOf(`movies cookies calories zombies selfies genies brownies hoodies smoothies rookies prairies birdies newbies indies sorties pixies shoes horseshoes snowshoes toes tiptoes canoes foes hoes
			oboes woes caches niches aches headaches toothaches avalanches psyches uses reuses fuses refuses excuses accuses abuses amuses confuses muses defuses diffuses infuses ruses menus cpus gpus
			tpus skus gurus emus apis taxis wikis emojis skis uris guis clis kpis safaris alibis metrics topics comics clinics fabrics critics mechanics picnics epics relics mosaics heuristics characteristics lyrics`),
		es:    setOf(`canvases gases atlases biases aliases lenses`),
		nouns: map[string]string{},
		bare: suffix(`^(?:`+words(`sync async exec spec disc arc zinc havoc gas bus combat collar mortar sugar dollar pillar murmur sulfur pivot ballot debut output input pencil stencil council devil symbol consul
			bulletin margin login hang overhang bang clang gang twang boomerang debit revel trek repell rebell gass degass gossip worship redden reckon beckon bevell revell pilot parrot pyramid augur`)+`)`, `focus|caucus|bias|alias|canvas|census|chorus`, `gram`, `(?:cata|dia|ana|back)log`),
		dropped: suffix(
			`[^t]z`, `[vuc]`, `[^s]s`, `[aeioudlr]g`, `[ae]ng`, `[bcdfgkpstz]l`, `[bcgt]r`, // freeze, save, use, manage, change, handle, center
			`(?:^|[^aeiou])[aeiou][kb]`,                                 // make, describe
			`^`+prefixes+`[^aeiouy]+(?:[aeiouy][bdfklmnpt]|[aiouy]r)`,   // store, rename: without an e the consonant is doubled
			`(?:[^aeo]|cre|me|ine|use)at`, `[^aeo][aeou]d`, `[^aeou]id`, // translate, encode, divide
			`[^aeo][au]r`, `[^aeou]ir`, `[^aeo][ou]t`, `[^aeo]am`, `[^aeou][iu][mn]`, `[^aeiou](?:[iou]l|ap)`, `y[lmnpt]`, // measure, compute, combine, compile
			words(`guid ^(?:re)?rout ^ow ^ach breath bath cloth sooth loath teeth writh seeth sheath [bptw]ast swath wreath aton beguil dynamit imping nucleat blasphem ignor stor plor ador scor snor invit writ unit ignit xcit ncit recit xpedit delet plet compet cret com phon
				postpon condon dethron conven interven contraven inhal exhal scal impal scop lung spong hing cring infring loung scroung expung syring interfer adher persever rever coher`)),
		kept:  suffix(`(?:[sf]|[eo])`, `[^w]izz|[^i]zz`, `^`+prefixes+`[^aeiou]*[aeiou]ll`, `^(?:add|err|egg|purr|putt|boycott|ebb)`), // passing, calling
		dying: regexp.MustCompile(`^(?:un|under|be)?[dltv]y$`),
	}
	plurals := strings.Fields(`analyses analysis diagnoses diagnosis hypotheses hypothesis crises crisis theses thesis syntheses synthesis parentheses parenthesis indices index matrices matrix vertices vertex
		appendices appendix people person children child women woman mice mouse feet foot teeth tooth geese goose knives knife shelves shelf leaves leaf lives life wolves wolf halves half loaves loaf thieves thief
		scarves scarf criteria criterion phenomena phenomenon quizzes quiz`)
	for i := 0; i < len(plurals); i += 2 {
		out.nouns[plurals[i]] = plurals[i+1]
	}
	return out
})

// singular is a noun without the ending of its plural.
func singular(w string) string {
	if one, is := english().nouns[w]; is {
		return one
	}
	return withoutS(w)
}

// withoutS is a word without the s of a plural or of a verb.
func withoutS(w string) string {
	e := english()
	stem, ends := strings.CutSuffix(w, "s")
	switch {
	case !ends || len(w) < 4 || e.whole[w]:
		return w
	case e.s[w] || hasEnding(w, "auses", "ouses"):
		return stem
	case hasEnding(w, "ss", "us", "is", "ics"):
		return w
	case e.es[w] || hasEnding(w, "xes", "ches", "shes", "sses", "zzes", "tzes", "oes", "uses"):
		return strings.TrimSuffix(stem, "e")
	case hasEnding(w, "ies") && len(w) > 4:
		return strings.TrimSuffix(w, "ies") + "y"
	}
	return stem
}

// infinitive is a verb without its ending: send of sends and sending, make of making.
func infinitive(w string) string {
	e := english()
	stem, ends := strings.CutSuffix(w, "ing")
	if !ends {
		return withoutS(w)
	}
	n := len(stem)
	shape := strings.ReplaceAll(stem, "qu", "qw") // its u is no vowel
	switch {
	case n < 2 || !strings.ContainsAny(stem, "aeiouy") || e.whole[w]:
		return w
	case e.dying.MatchString(stem):
		return stem[:n-1] + "ie"
	case stem[n-1] == 'k' && hasEnding(stem, "mimick", "panick", "picnick", "traffick", "frolick"):
		return stem[:n-1]
	case stem[n-1] == stem[n-2] && !(e.kept.MatchString(shape) && !e.bare.MatchString(stem)):
		return stem[:n-1]
	case stem[n-1] == stem[n-2] || e.bare.MatchString(stem):
		return stem
	case e.dropped.MatchString(shape):
		return stem + "e"
	}
	return stem
}
