package gaps

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// phrases are the expressions that hear a lack in a sentence, which is in lower case except for service.
// English only.
type phrases struct {
	lack                                                   []cued
	noun, unable, blocked, after, before, purpose, service *regexp.Regexp
	// next begins another noun in a sentence: with a subject of its own, or a determiner alone. there is what may stand
	// before "and no …".
	next, there *regexp.Regexp
}

// cued is an expression each match of which has one of the cues, so that most sentences are not searched.
type cued struct {
	cues []string
	re   *regexp.Regexp
}

// first is the place of the first match of any expression, -1 without one.
func first(all []cued, s string) int {
	at := -1
	for _, c := range all {
		if !hasAny(s, c.cues...) {
			continue
		}
		if m := c.re.FindStringIndex(s); m != nil && (at < 0 || m[0] < at) {
			at = m[0]
		}
	}
	return at
}

var heard = sync.OnceValue(func() phrases {
	const (
		// thing is a noun for a capability.
		thing = `(?:mcp(?: server| tool| integration| connector)?s?|tools?|skills?|(?:sub-?)?agents?|integrations?|connectors?|connections?|plugins?|servers?|specialists?)`
		few   = `(?:really |also |still |currently |now |just |probably |certainly )*`
		env   = `(?:here|available|configured|connected|installed|exposed|enabled|set up|in force|among my tools|in (?:this|my|the) \w+)`
	)
	re := func(parts ...string) *regexp.Regexp {
		return regexp.MustCompile(strings.ToLower(strings.Join(parts, "|")))
	}
	return phrases{
		noun: re(`\b` + thing + `\b`),
		lack: []cued{
			{[]string{"need", "requir", "want", "love", "like"}, re(`\b(?:I|we)(?:['’]d| would| will|['’]ll)? ` + few + `(?:need|require|want|love|like)(?: to have)? (?:an?|another|some|the right|access)\b`)},
			{[]string{"have to", "need to"}, re(`\b(?:I|we)(?:['’]d| would) (?:have to|need to) (?:have|be given)\b`)},
			{[]string{"lack", "have", "found", "wish", "miss", "without"}, re(`\b(?:I|we) ` + few + `(?:lack|have no|have none|have nothing|found no|found none|wish I had|miss|am missing|am without)\b`)},
			{[]string{"missing", "lacking", "without"}, re(`\bI['’]m (?:missing|lacking|without)\b`)},
			{[]string{"have", "see", "find"}, re(`\b(?:I|we) ` + few + `(?:do not|don['’]t|did not|didn['’]t|can ?not|can['’]t|could not|couldn['’]t) ` + few + `(?:have|see|find) (?:access|an?|any)\b`)},
			{[]string{"neither"}, re(`\b(?:(?:I|we) ` + few + `(?:have|see|found)|there(?:['’]s| is| are)) neither\b`)},
			{[]string{"there"}, re(`\bthere(?:['’]s| is| are)(?: currently)? no\b`)},
			{[]string{"there"}, re(`\bthere (?:is not|isn['’]t|are not|aren['’]t) (?:an?|any)\b`)},
			{[]string{"no "}, re(`\bno ` + few + `(?:[\w.-]+ ){0,3}` + thing + `\b[^.;]{0,40}\b(?:is|are) ` + few + env)},
			{[]string{"none of"}, re(`\bnone of (?:my|the|these)(?: available)? tools (?:can|could|lets?|allows?|is able)\b`)},
			{[]string{"nothing"}, re(`\bnothing (?:here|available|on this machine|in this \w+)\b`)},
			{[]string{"be "}, re(`\b(?:would|could|['’]d) be (?:much |far )?(?:worth (?:setting up|adding|having)|easier|simpler|faster|nice|better|good|great|helpful|useful|needed|required|necessary)\b`)},
			{[]string{"let", "allow", "help", "save", "make", "better", "way", "enable", "requir", "need", "use"}, re(`\b(?:would|could) (?:let me|allow me|help|save|make|do better|be the way|enable me|require|need|use)\b`)},
			{[]string{"would help"}, re(`\bwould help to have\b`)},
			{[]string{"if "}, re(`\bif (?:there were|I had|you (?:connect|add|give me|set up)) (?:an?|another)\b`)},
			{[]string{"need", "requir"}, re(`\b(?:that|this|which)(?: would)? (?:needs?|requires?) an?\b`)},
			{[]string{"missing"}, re(`\b(?:what is|what['’]s) missing\b`)},
			{[]string{"with a"}, re(`\bwith an? (?:[\w.-]+ ){0,3}` + thing + `,? I could\b`)},
			{[]string{"could someone"}, re(`\bcould someone add\b`)},
		},
		unable: re(
			`\bno way (?:to|of)\b`,
			`\b(?:do not|don['’]t) have (?:a|any) way (?:to|of)\b`,
			`\bnothing (?:here|on this machine|in this \w+|available)(?: here)? (?:can|could|turns|reads|writes|is able to)\b`,
			`\bnone of (?:my|the|these)(?: available)? tools (?:can|could|lets? me|allows? me to)\b`,
		),
		blocked: re(
			`\b(?:do not|don['’]t|did not|didn['’]t|no longer|never) `+few+`need\b`,
			`\bif (?:I|you|we|they|it|the \w+) `+few+`needs?\b`,
			`\byou(?:['’]d| would| will|['’]ll)? `+few+`need\b`,
			`\b(?:don['’]t|do not) want\b`,
			`\bnot necessary\b|\bisn['’]t necessary\b`,
			`\bI (?:could|can|will|['’]ll) (?:build|write|make|add|create)\b|\bwe could build\b|\bI['’]ll (?:build|write|make|add|create)\b`,
			`\bshall I add\b`,
		),
		after:   re(`^(?: \w+ent)?['’]s\b`, `^[- ](?:calls?|tokens?|versions?|outputs?|results?|names?|uses?|errors?|lists?|for (?:the )?target)\b`),
		before:  re(`\b(?:an?|any|no|another|some|the|your|such as an?|such as|only|right|specialised|specialized) ((?:[\w.&+#-]+ ){0,4})$`),
		purpose: re(`^(?: server)?(?: or (?:an? )?\w+)?(?: (?:is |are |was )?` + env + `)* (?:for|to|(?:that|which) (?:is|are) (?:called|named)|that|which|such as|called|named) (?:can |could |would |will )?(.*)`),
		next:    re(`(?:,|;| and| but| nor)+ (?:also |then )?((?:there|I|we)(?:['’]\w+)? [\w’' ]{0,20}?)?\b(an?|another|no|any) (?:[\w.&+#-]+ ){0,4}?(` + thing + `)\b`),
		there:   re(`\b(?:there(?:['’]s| is| are)|(?:I|we) (?:have|see|found|find))\b`),
		service: regexp.MustCompile(`\b(?:in|on|to|from|open|reach|edit) (?:your |the |our )?([A-Z][\w.-]*)`),
	}
})

// hearWords hears gaps in what the agent said.
func (h *Hearer) hearWords(e Event) {
	sentences := sentencesOf(spoken(e.Words))
	var vague []Gap // without a noun; another sentence of the message may say more
	clear := false
	for i, s := range sentences {
		if kept := trial.Unsecret(s.text); kept != s.text { // names are made of the words
			s.text, s.lower, s.masked = kept, lower(kept), lower(mask(kept))
			sentences[i] = s
		}
		if len(s.text) > maxSentence {
			continue
		}
		evidence := []Evidence{{ByWords, e.at(s), plain(s.text)}}
		named := false
		for _, part := range s.parts() {
			g, noun, ok := gapIn(part, sentences[:i])
			g = g.hinted(part)
			g.Times, g.Evidence = 1, evidence
			switch {
			case noun && ok:
				named = true
				h.add(g, e.Line)
			case ok:
				vague = append(vague, g)
			}
		}
		if named {
			clear = true
			continue
		}
		for _, g := range absentIn(s, sentences[:i]) {
			h.nameMissing(&g)
			clear = clear || g.Name != ""
			g = g.hinted(s)
			g.Times, g.Evidence = 1, evidence
			h.add(g, e.Line)
		}
	}
	if !clear && len(vague) > 0 {
		h.add(vague[0], e.Line)
	}
}

// parts splits a sentence before each further thing that it names or explains: "an MCP for Jira and no tool that sends
// faxes" lacks two. What "or" joins is one thing by two names, or a choice. It is nil for a sentence without a cue.
func (s sentence) parts() (out []sentence) {
	p := heard()
	switch {
	case !hasCue(s.masked):
		return nil
	case !hasAny(s.masked, ",", ";", " and ", " but ", " nor ") || len(p.noun.FindAllStringIndex(s.masked, 2)) < 2 || p.blocked.MatchString(s.masked):
		return []sentence{s}
	}
	rest, start := s, 0
	for _, m := range p.next.FindAllStringSubmatchIndex(s.masked, -1) {
		by, own, no := s.masked[m[0]:m[4]], m[2] >= 0, s.masked[m[4]:m[5]] == "no"
		before := s.masked[start:m[0]]
		if !p.noun.MatchString(before) || s.qualifier(m[6]) == "" && s.purpose(m[7]) == "" {
			continue
		}
		from := m[4]
		if own {
			from = m[2]
		}
		rest = s.cut(start, m[0], rest.lacks)
		out = append(out, rest)
		lacked := rest.lacks || first(p.lack, rest.masked) >= 0
		start, rest.lacks = from, !own && (lacked && !hasAny(by, "but ") || no && p.there.MatchString(rest.masked))
	}
	return append(out, s.cut(start, len(s.masked), rest.lacks))
}

// cut is a part of a sentence.
func (s sentence) cut(from, to int, lacks bool) sentence {
	return sentence{s.text[from:to], s.lower[from:to], s.masked[from:to], s.line, lacks}
}

// hasCue skips most sentences without an expression: each match of lack and unable has a word of both lists.
func hasCue(s string) bool {
	return hasAny(s, "mcp", "tool", "skill", "agent", "integration", "connect", "plugin", "server", "specialist", "no way", "a way", "any way", "nothing") &&
		hasAny(s, "need", "requir", "want", "love", "like", "have", "lack", "no", "n't", "n’t", "wish", "miss", "without", "would", "could", "'d", "’d", "if ")
}

func hasAny(s string, cues ...string) bool {
	return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(s, cue) })
}

// gapIn hears a gap in a sentence, which follows others in the same message. noun reports whether the
// sentence names what is lacking, and not only for what.
func gapIn(s sentence, earlier []sentence) (g Gap, noun, ok bool) {
	p := heard()
	at, cue := p.unable.FindStringIndex(s.masked), first(p.lack, s.masked)
	if s.lacks {
		cue = 0
	}
	if at == nil && cue < 0 || p.blocked.MatchString(s.masked) {
		return g, false, false
	}
	if at != nil {
		g = Gap{Type: capability.KindTool, Purpose: plain(clause(strings.TrimLeft(s.text[at[1]:], " ,:")))}
		g.Name = nameOf(g.Purpose, 3)
		return g, false, g.Name != ""
	}
	nouns := p.noun.FindAllStringIndex(s.masked, -1)
	var best []int
	for _, n := range nouns {
		if p.after.MatchString(s.masked[n[1]:]) {
			continue
		}
		if best == nil || rankOf(s, n, cue) > rankOf(s, best, cue) {
			best = n
		}
	}
	if best == nil {
		return g, false, false
	}
	g, ok = s.describe(best, earlier)
	return g, true, ok
}

// rankOf prefers nouns that are named or explained, then specific ones, then those after the cue.
func rankOf(s sentence, n []int, cue int) int {
	rank := 0
	if s.qualifier(n[0]) != "" || s.purpose(n[1]) != "" {
		rank += 4
	}
	if typeOf(s.text[n[0]:n[1]]) != capability.KindTool {
		rank += 2
	}
	if n[0] >= cue {
		rank++
	}
	return rank
}

// typeOf is the type that a noun names.
func typeOf(noun string) capability.Kind {
	noun = strings.ToLower(noun)
	switch {
	case strings.Contains(noun, "skill"):
		return capability.KindSkill
	case strings.Contains(noun, "agent"), strings.Contains(noun, "specialist"):
		return capability.KindAgent
	case strings.HasPrefix(noun, "tool"):
		return capability.KindTool
	}
	return capability.KindMCP
}

// qualifier returns the words before a noun that say which, such as Figma in "a Figma MCP".
func (s sentence) qualifier(at int) string {
	m := heard().before.FindStringSubmatchIndex(s.masked[:at])
	if m == nil || slug(s.text[m[2]:m[3]], 4) == "" {
		return ""
	}
	return strings.TrimSpace(s.text[m[2]:m[3]])
}

// purpose returns the words after a noun that say for what; "" without.
func (s sentence) purpose(at int) string {
	if m := heard().purpose.FindStringSubmatchIndex(s.lower[at:]); m != nil {
		return clause(s.text[at+m[2]:])
	}
	return ""
}

// clause cuts a text where another thought begins.
func clause(s string) string {
	end := len(s)
	for _, by := range [...]string{", ", "; ", ": ", " so ", " because ", " but ", " which ", " and I ", " would ", " is needed", " – ", " — ", " (", " here", " in this ", " instead"} {
		if i := strings.Index(s, by); i > 0 {
			end = min(end, i)
		}
	}
	return strings.TrimRight(s[:end], " .!?:;,")
}

// maxBack bounds how many sentences before one that names nothing are looked at.
const maxBack = 8

// describe makes the gap that a noun at a place names.
func (s sentence) describe(at []int, earlier []sentence) (Gap, bool) {
	g := Gap{Type: typeOf(s.text[at[0]:at[1]])}
	which, what := s.qualifier(at[0]), s.purpose(at[1])
	if which == "" && what == "" { // "I would need one": the sentence before says for what
		for _, t := range slices.Backward(slices.Concat(earlier[max(0, len(earlier)-maxBack):], []sentence{s})) {
			if m := heard().service.FindStringSubmatch(t.text); m != nil {
				which = m[1]
				break
			}
		}
	}
	g.Purpose = plain(what)
	if g.Purpose == "" {
		g.Purpose = plain(clause(s.text))
	}
	g.Name = slug(which, 3)
	if g.Name == "" {
		g.Name = nameOf(firstOf(what), 3)
	}
	if g.Type == capability.KindTool && isProper(which) {
		g.Type = capability.KindMCP // a tool that is named after a service
	}
	switch g.Type {
	case capability.KindSkill:
		g.Trigger = plain("the task is: " + g.Purpose)
	case capability.KindAgent:
		g.Specialization = plain(strings.TrimSpace(which + " " + what))
	}
	return g, g.Name != ""
}

// firstOf cuts the purpose of a purpose: "Jira" of "Jira to move the ticket".
func firstOf(what string) string {
	if head, _, ok := strings.Cut(what, " to "); ok && isProper(strings.Fields(head + " -")[0]) {
		return head
	}
	return what
}

// isProper reports whether words are a name, such as HubSpot.
func isProper(words string) bool {
	for _, w := range strings.Fields(words) {
		if w[0] >= 'A' && w[0] <= 'Z' && w != strings.ToUpper(w) {
			return true
		}
	}
	return false
}
