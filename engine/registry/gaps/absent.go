package gaps

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
)

// absence is an expression by which an agent states that something is not there for it. Its first group that
// matched is the thing; without one, the thing is named before.
type absence struct {
	kind capability.Kind
	cues []string // each text that the expression matches has one
	re   *regexp.Regexp
}

// The parts of the expressions, in lower case. English only.
const (
	// item is a word that may name a thing.
	item  = `[a-z0-9][\w.+#/&-]*`
	items = item + `(?: ` + item + `){0,3}?`
	// place is where the agent works.
	place = `(?:(?:this|the|my) (?:\w+ )?(?:machine|box|host|container|image|environment|sandbox|chat|conversation|setup|runner|vm)|(?:this|my) (?:session|system|workspace))`
	// hasNot says that the agent lacks something.
	hasNot = `\bi(?:['’]ve| have| had) (?:got )?(?:no|neither an?|neither)|\bi(?:['’]m| am)? (?:lack(?:ing)?|missing|without)(?: an?| any)?|\bi (?:haven['’]t|hadn['’]t|don['’]t|do not|didn['’]t) (?:got |have )(?:an?|any|the)`
	// linked says that a service is joined to the agent.
	linked = `(?:connected|linked|hooked(?: up)?|plugged in|wired(?: up| in)?|attached|signed in|logged in|authenticated|integrated|set up|configured)`
	// joined are the cues of linked.
	joined = "connected,linked,hooked,plugged,wired,attached,signed in,logged in,authenticated,integrated,set up,configured"
	// line is a noun for such a connection.
	line = `(?:connection|connector|integration|link|line|login|log-in|credentials?|api keys?|keys?|token|account|access)`
	// rules is a noun for what a skill teaches.
	rules = `(?:procedures?|polic(?:y|ies)|standards?|conventions?|rules|process(?:es)?|path|steps|sequence|playbooks?|guides?|guidelines?|style(?: guide)?|voice(?: guide)?|train|methods?|methodology|templates?|checklists?|runbooks?|manual|thresholds|protocols?|practices?|house rules)`
	// cannot begins what the agent is unable to do.
	cannot = `\bi(?:['’]m| am)? ?(?:can ?not|can['’]t|could not|couldn['’]t|unable to|not able to|was unable to|wasn['’]t able to)`
	// yours is what people keep at services, whatever their names.
	yours = `(?:calendars?|diar(?:y|ies)|inbox(?:es)?|mailbox(?:es)?|e-?mails?|mails?|bank account|accounts?|crm|drive|tickets?|backlog|board|tracker|wiki|analytics|warehouse|dashboards?|contacts|photos|orders)`
	// services are well-known ones, which a terse agent may name in lower case.
	services = `(?:airtable|asana|aws|azure|bigquery|bitbucket|cloudflare|confluence|crashlytics|databricks|datadog|discord|dropbox|drive|dynamics|figma|firebase|gcp|github|gitlab|gmail|google (?:docs|drive|sheets|calendar|analytics|ads)|grafana|hubspot|intercom|jenkins|jira|kibana|klaviyo|linear|linkedin|looker|mailchimp|mixpanel|miro|monday|netsuite|notion|okta|outlook|pagerduty|paypal|postgres|power bi|quickbooks|redis|sap|salesforce|sentry|servicenow|sharepoint|shopify|slack|snowflake|spotify|stripe|supabase|tableau|teams|trello|twilio|vercel|workday|xero|youtube|zapier|zendesk|zoom)`
	// learnt says that the agent was given knowledge.
	learnt = `(?:been )?(?:taught|shown|told|briefed|given|handed|trained|learn(?:t|ed)|introduced|instructed|provided)`
)

var absences = sync.OnceValue(func() (out []absence) {
	add := func(kind capability.Kind, cues string, expressions ...string) {
		for _, e := range expressions {
			out = append(out, absence{kind, strings.Split(cues, ","), regexp.MustCompile(e)})
		}
	}
	add(capability.KindAgent, "agent,reviewer,specialist",
		`\b((?:[\w-]+ ){1,3})(?:sub-?agent|agent|reviewer|specialist)s?\b[^.;]*\b(?:(?:i|we) (?:haven['’]t|don['’]t|do not)\b[^.;]{0,10}\b(?:got|have)|there (?:isn['’]t|is) (?:one|none)|(?:not|n['’]t)\b[^.;]{0,12}\b(?:offer|defined|available|among|provide)|none (?:is|was)|at my disposal)`,
		`\bno ((?:[\w-]+ ){1,3})(?:sub-?agent|agent|reviewer|specialist)s? (?:among|is|are|was|to|in|for me|here|that)\b`,
	)
	add(capability.KindSkill, "familiar,acquainted",
		`\bi(?:['’]m| am)? (?:not|never|n['’]t|un)(?: (?:really|yet|too))? ?(?:acquainted|familiar)(?: enough)? with ([^.,;:(]*(?:\b`+rules+`|\bhow )[^.,;:(]*)`,
		`\bi(?:['’]m| am) (?:not |un)(?:acquainted|familiar)(?: enough)? with ((?:your|how your)\b[^.,;:(]+)`,
	)
	add(capability.KindSkill, "taught,shown,told,briefed,given,handed,trained,learn,introduced,instructed,provided",
		`\b(?:i|we)(?:['’]ve| have| was| were| wasn['’]t)? (?:not|never|n['’]t)? ?`+learnt+` ((?:your|how|about your|the)\b[^.,;:(]*`+rules+`)\b`,
		`\b(?:was|were|been)(?:n['’]t| not| never)? `+learnt+` how ([^.,;:(]+)`,
	)
	add(capability.KindSkill, "to me,know,seen,got,taught,shown,told,briefed,given,handed,trained,learn",
		`\b(?:your|their|the (?:company|team|group|house|firm)['’]s(?: own)?) (?:own )?(?:\w+['’]s )?((?:[\w-]+ ){0,4}`+rules+`)\b[^.;]{0,120}?\b(?:unknown to me|blank to me|(?:isn['’]t|not|n['’]t) something i know|i (?:have not|haven['’]t|don['’]t|do not|never)\b ?(?:know|got|`+learnt+`|seen)|(?:which|that) i (?:haven['’]t|have not|never) (?:was |were |been )?(?:`+learnt+`|seen))`,
		`\bi (?:do not|don['’]t|can ?not|can['’]t) know (?:the |your |their |which |what )((?:[\w-]+ ){0,4}`+rules+`)\b`,
		`\b(?:which|what) ((?:[\w-]+ ){0,3}`+rules+`)\b[^.;]{0,40}\bi (?:do not|don['’]t) know\b`,
	)
	add(capability.KindSkill, "that i",
		`\b((?:[\w-]+ ){1,4}`+rules+`) that i (?:have not|haven['’]t|never|was never|wasn['’]t) (?:been |was )?(?:`+learnt+`|seen)\b`,
	)
	add(capability.KindSkill, "reached,given,shown,handed",
		`\bno ((?:[\w-]+ ){1,4}`+rules+`) (?:has ever |was ever |ever |was |has )?(?:reached|been given|given|shown|handed)\b`,
	)
	add(capability.KindSkill, "my grasp,my knowledge,my understanding",
		`\bmy (?:grasp|knowledge|understanding) of ([^.,;:(]+?) (?:is (?:only )?(?:patchy|thin|weak|limited|shaky)|(?:isn['’]t|is not) (?:solid|good|deep|reliable|complete|sufficient))`,
	)
	add(capability.KindSkill, "way of doing",
		`\bway of (doing [^.,;:(]+?) i (?:never|was never|have never|haven['’]t)\b`,
	)
	add(capability.KindMCP, joined,
		`\b(?:i|i['’]m|i['’]ve|me|`+place+`)\b[^.;]{0,20}(?:\bnot|\bnever|n['’]t|\bno ?one|\bnobody)\b[^.;]{0,25}\b`+linked+` (?:up )?(?:to|into|with) (?:the |your |our )?(`+item+`(?: [a-z0-9]\w+)?)`,
		`\b(`+item+`)(?: itself| account)? (?:is|are|was|isn['’]t|aren['’]t|wasn['’]t|hasn['’]t|has)(?: not| never|n['’]t)?\b[^.;]{0,8}\b(?:not|n['’]t|never)\b ?(?:been )?`+linked+`\b`,
		`\b(`+item+`) (?:isn['’]t|aren['’]t|hasn['’]t been|is not|are not|was not|wasn['’]t) (?:`+linked+`)\b[^.;]{0,30}\b(?:here|me|my (?:end|side)|`+place+`)\b`,
	)
	add(capability.KindMCP, "among the,among my",
		`\b(`+item+`) (?:is|are|isn['’]t|aren['’]t|is not|are not)\b[^.;]{0,12}\bamong (?:the|my) (?:servers|systems|services|tools|connections|apps|accounts)\b`,
	)
	add(capability.KindMCP, "reach,closed to me,off limits,not accessible,not something",
		`\b(`+item+`) is (?:out of (?:my )?reach|beyond my reach|closed to me|off limits (?:to|for) me|not (?:reachable|accessible|something i can))`,
	)
	add(capability.KindMCP, "connect,integration,link,line,log,credential,key,token,account,access,bridge,route,window,way in",
		`\bno ((?:[\w.-]+ ){1,2})`+line+`\b[^.;]{0,40}(?:\.|,|$|\bwere\b|\bwas\b|\bis\b|\bhere\b|\bto\b|\bin\b)`,
		`(?:\bi(?:['’]ve| have)?|\bthere(?:['’]s| is)|\bwith|\b`+place+` has) (?:no|lack(?:ing)?(?: an?)?|neither an?) (?:live |direct )?(?:(?:`+line+`|bridge|route|window) (?:in)?to|way into) (?:the |your |our )?(`+item+`)`,
		`\bi lack (?:an?|any|the) ((?:[\w.-]+ ){1,2})`+line+`\b`,
		`\bi (?:don['’]t|do not|didn['’]t) (?:currently )?have (?:any |direct )?access to (?:the |your |a |any )?(`+services+`\b|(?:[\w-]+ )?`+yours+`\b)`,
		`\bi(?:['’]ve)? (?:don['’]t have|do not have|have no|no) (`+services+`) (?:access|tools?)\b`,
	)
	add(capability.KindMCP, "can't,can’t,cannot,can not,couldn,could not,able to",
		cannot+` (?:directly )?(?:\w+(?: into| up| in| to| or \w+)? )(?:\w+ (?:to|from|on|in) )?(?:the |your |in |on |to |from )*(`+services+`)\b`,
		cannot+` (?:directly )?(?:see|look (?:into|at|in)|check|access|view|open|read|search|reach|get (?:into|to))(?: or \w+)?(?: mail)?(?: from)? your ((?:[\w-]+ )?`+yours+`)\b`,
	)
	add(capability.KindMCP, "nothing connects",
		`\bnothing connects me to (?:the |your )?(`+item+`)`,
	)
	add(capability.KindMCP, "isn't,isn’t,is not",
		`\b(`+services+`) (?:isn['’]t|is not) (?:something|a service|one) (?:that )?i(?:['’]m| am|['’]ve)?\b`,
	)
	add(capability.KindMCP, "connect,integration,link,line,login,credential,key,token,account,access",
		`\b(?:needs?|requires?) an? ((?:[\w.-]+ ){1,2})`+line+`\b[^.;]{0,30}\b(?:none|not|n['’]t|no)\b`,
	)
	add(capability.KindMCP, joined,
		`\bno ((?:[\w.-]+ ){1,2}|`+item+` )(?:is|are|was|were) `+linked+`\b[^.;]{0,30}\b(?:here|me|`+place+`)`,
	)
	add(capability.KindMCP, "nothing here,nothing in",
		`\bnothing (?:here |in `+place+` )(?:talks|connects|speaks|lets me (?:get|reach|talk|in)|reaches|links)(?: (?:in)?to)? (?:the |your |our )?(`+item+`)`,
	)
	add(capability.KindMCP, "answer from",
		`\b(?:the )?((?:[\w-]+ )?[\w.-]+) (?:don['’]t|doesn['’]t|do not|does not) answer from (?:here|where i)`,
	)
	add(capability.KindMCP, "to",
		`\b(?:`+hasNot+`) (?:`+line+`|way in) (?:in)?to (?:the |your |our )?(`+item+`)`,
	)
	add(capability.KindTool, "i have,i’ve,i've,i had,lack,missing,without,have,had",
		`\b(?:`+hasNot+`) (`+items+`) (?:here |available |at hand |at my disposal )?(?:to|for|with which|in (?:here|this))\b`,
	)
	add(capability.KindTool, "to run,to call,to use,to invoke,to hand,to compile,to execute,on path,on this,on the,on my,in this,in the,in my,installed,present,available,around,is here",
		`\b(?:no|neither|without|nor) (?:an? |any |other )?(`+items+`)(?:,? (?:or|nor|and) [\w.+-]+(?: \w+)?)*,? (?:to (?:run|call|use|invoke|hand|compile|execute)|on (?:path|`+place+`)|in `+place+`|(?:is |are )?(?:installed|present|available)|around|is (?:on|in|at) `+place+`|is here|were available)\b`,
	)
	add(capability.KindTool, "installed,absent,available,present,not on,being on,to be found",
		`\b((?:`+item+` )?`+item+`) (?:is not|isn['’]t|was not|wasn['’]t|being|are not|aren['’]t|not) (?:installed|absent|available|present|on `+place+`|to be found|on path)\b(?:,| and| so| but|[^.;]{0,20}(?:\b(?:here|me|machine|container|image|environment|box|host|sandbox|session|path|runner)\b|$|\.))`,
	)
	add(capability.KindTool, "lacks,has no,gives me no,no,without,missing,not have,n't have,n’t have",
		`\b`+place+` (?:lacks?|has no|gives me no|offers? (?:me )?no|provides? no|comes without|is missing|is without|does not have|doesn['’]t have)(?: an?| any)? (?:means of |way of |tool for )?(`+items+`)(?: (?:as well as|or|and|that|with|to|in)\b|[.,;(]|$)`,
	)
	add(capability.KindTool, "what this,what the,what my",
		`\bwhat `+place+` (?:lacks|is missing|misses) is (?:an? )?(`+items+`)(?:[.,;(]| or\b|$)`,
	)
	add(capability.KindTool, "missing from,missing in,missing on",
		`\b((?:`+item+` )?`+item+`) (?:is|are|was) missing (?:from|in|on) `+place+`\b`,
	)
	add(capability.KindTool, "without",
		`\b(?:container|box|machine|host|image|environment|sandbox|session) without (?:an? )?(`+items+`)(?:[.,;(]|$)`,
	)
	add(capability.KindTool, "can't,can’t,cannot,can not,couldn,could not,able to",
		cannot+` ([^.,;:(]{3,60}?),? (?:from here|here|in (?:here|this (?:\w+ )?(?:chat|conversation|session|setup|environment|sandbox)))\b`,
	)
	add(capability.KindTool, "equipped,no means,for want of,would be needing",
		`\b(?:not|n['’]t) equipped to ([^.,;:(]+)`,
		`\bno means (?:of|to|for) ([^.,;:(]+)`,
		`\bfor want of (?:an? )?(`+items+`)\b(?: or\b| in\b|[.,;]|$)`,
		`\bi would be needing (?:an? )?(`+items+`)(?: to\b| for\b|[.,;]|$)`,
	)
	add(capability.KindTool, "without",
		`\bwithout (`+items+`) (?:in some form|installed|here)\b`,
	)
	add(capability.KindTool, "present,available,installed,around",
		`\bno (`+item+`)(?: (?:distribution|compiler|toolchain|interpreter|runtime|binary|cli))? (?:is )?(?:present|available|installed|around)\b`,
	)
	return out
})

// notMine tells that a sentence speaks of another's lack: a product's, a customer's or a file's.
var notMine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:your (?:users?|customers?|clients?|team|ci|server|package\.json|dockerfile|code|app|site|cluster)|the (?:users?|customers?|api|endpoint|code|app|function|class|module|repo|repository|table|schema|spec|page|file|docs|documentation|component)) (?:has|have|had|lacks?|needs?|isn['’]t|is not|does not|doesn['’]t)\b|\bif\b[^.;]{0,40}\b(?:not|isn['’]t|no) (?:installed|available|connected|present)|\bif (?:i|we) (?:had|have) no\b|\b(?:was|were) (?:not|n['’]t) installed (?:by|in the (?:image|dockerfile))\b|\b(?:fixed|resolved|installed it|now (?:works|passes|installed|connected))\b`)
})

// absentIn returns the things whose absence a sentence states, one of each expression. earlier has the sentences before.
func absentIn(s sentence, earlier []sentence) (out []Gap) {
	if !hasAny(s.masked, "no", "n't", "n’t", "lack", "want", "without", "unknown", "blank", "unfamiliar", "neither", "never", "out of", "closed", "beyond", "patchy", "absent", "missing", "needing") ||
		heard().blocked.MatchString(s.masked) {
		return nil
	}
	for _, a := range absences() {
		if !hasAny(s.masked, a.cues...) {
			continue
		}
		m := a.re.FindStringSubmatchIndex(s.masked)
		if m == nil || notMine().MatchString(s.masked[:m[1]]) {
			continue
		}
		thing := ""
		for i := 2; i < len(m) && thing == ""; i += 2 {
			if m[i] >= 0 {
				thing = strings.TrimSpace(s.text[m[i]:m[i+1]])
			}
		}
		if a.kind == capability.KindMCP && (slug(thing, 3) == "" || isPronoun(thing)) {
			thing = serviceBefore(s.text[:m[0]], earlier)
		}
		g := Gap{Type: a.kind, Name: slug(thing, 3), Purpose: plain(clause(s.text[m[0]:]))}
		if isPronoun(thing) {
			if a.kind != capability.KindTool {
				continue
			}
			g.Name = "" // a program that a call missed
		} else if g.Name == "" {
			continue
		}
		g.Purpose = plain(cmp.Or(thing+": "+g.Purpose, g.Purpose))
		switch a.kind {
		case capability.KindSkill:
			g.Trigger = plain("the task is: " + thing)
		case capability.KindAgent:
			g.Specialization = plain(thing)
		}
		if !slices.ContainsFunc(out, func(o Gap) bool { return covers(o.Name, g.Name) }) {
			out = append(out, g)
		}
	}
	return out
}

// maxSince is how many calls lie between a call that missed a program and the words about it.
const maxSince = 10

// nameMissing adds to a tool that the agent's words lack the programs that its calls missed before.
func (h *Hearer) nameMissing(g *Gap) {
	if g.Type != capability.KindTool {
		return
	}
	for _, l := range h.lacks {
		if h.calls-l.call < maxSince && !strings.Contains(strings.ToLower(g.Purpose), strings.ToLower(l.name)) {
			g.Purpose = plain(g.Purpose + "; not installed: " + l.name)
			g.Name = cmp.Or(g.Name, slug(l.name, 3))
		}
	}
}

// isPronoun reports whether a word names nothing by itself.
func isPronoun(word string) bool {
	words := strings.Fields(strings.ToLower(word))
	if len(words) == 0 {
		return true
	}
	switch words[len(words)-1] {
	case "account", "access":
		return len(words) == 1
	case "but", "and", "as", "so", "it", "that", "this", "they", "them", "one", "none", "which", "i", "you", "nothing", "something", "there", "what", "who", "way",
		"things", "information", "context", "detail", "details", "idea", "opinion", "memory", "preference", "problem", "problems", "reason", "reasons", "evidence",
		"example", "examples", "choice", "clue", "doubt", "objection", "concern", "concerns", "time", "trouble", "issue", "issues", "error", "errors", "more", "plans":
		return true
	}
	return false
}

// serviceBefore returns the nearest name, such as LinkedIn, before a place in a message.
func serviceBefore(text string, earlier []sentence) string {
	for _, t := range slices.Backward(slices.Concat(earlier[max(0, len(earlier)-2):], []sentence{{text: text}})) {
		words := strings.Fields(t.text)
		for i, w := range slices.Backward(words) {
			if w = strings.Trim(w, ".,;:!?()\"'`"); i > 0 && isProper(w) && w != "I" && len(w) > 2 {
				return w
			}
		}
	}
	return ""
}
