package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// luredSetupRule: something from a page of nobody's must be set up by hand first.
func luredSetupRule() rule {
	return rule{RuleInfo: RuleInfo{"lured-setup", Prerequisite, diag.Error, "the text demands a setup by hand from a page that anybody can put up",
		"A page behind a free host, a share or a short link shows today's visitors something else than yesterday's reviewer; 'required' makes people follow it.",
		"Name a package of a public registry, or put the steps into the capability where they are reviewed."},
		patterns: []pattern{{
			near: slicesOf(shares(), shorteners(), dropHosts()),
			re:   expr(`(?i)(?:https?://)?(?:[\w-]+\.)*(?:` + strings.Join(quoted(slicesOf(shares(), shorteners(), dropHosts())), "|") + `)/[^\s"'` + "`" + `)>\]]{2,200}`),
			in:   prose | hidden, severity: diag.Warning, confidence: 0.7, judge: judgeShared,
		}, {
			near: freeHosts(),
			re:   expr(`(?i)https?://[\w.-]+\.(?:` + strings.Join(quoted(freeHosts()), "|") + `)\b[^\s"'` + "`" + `)>\]]{0,200}`),
			in:   prose | hidden, severity: diag.Warning, confidence: 0.5, judge: judgeFree,
		}, {
			near: []string{"terminal", "powershell", "command prompt", "command line", "console"},
			re:   said(`\b(?:visit|open|go to|see|from|on)\b[^\n]{0,60}?https?://[^\n]{0,160}?\b(?:copy|paste|execute|run)\b[^\n]{0,100}?\b(?:terminal|powershell|command prompt|command line|console)\b|\b(?:copy|paste|execute|run) (?:the |this |that |its )?(?:\w+ )?(?:code|command|script|line|snippet|one-liner)s?\b[^\n]{0,80}?(?:from|at|on|in) [^\n]{0,40}?https?://[^\n]{0,120}?\b(?:terminal|powershell|command prompt|command line|console)\b`),
			in:   prose | hidden, severity: diag.Error, confidence: 0.8, judge: judgePasted,
		}, {
			near: []string{"follow the instructions", "follow the setup", "follow the steps", "instructions on", "instructions at", "as described on"},
			re:   said(`\bfollow (?:the |these |all )*(?:\w+ )?(?:instructions|steps|guide|setup) (?:on|at|from|in|under)[^\n]{0,30}?https?://[^\s)>]+`),
			in:   prose | hidden, severity: diag.Warning, confidence: 0.5, judge: judgeFollowedSetup,
		}}}
}

func slicesOf(lists ...[]string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// shares hold files of anybody for anybody.
func shares() []string {
	return []string{"mega.nz", "mediafire.com", "dropbox.com", "drive.google.com", "disk.yandex.ru", "disk.yandex.com", "1drv.ms", "wetransfer.com", "sendspace.com", "krakenfiles.com",
		"pixeldrain.com", "cdn.discordapp.com", "t.me", "workupload.com", "qiwi.gg", "send.cm"}
}

// shorteners hide where a link leads.
func shorteners() []string {
	return []string{"bit.ly", "tinyurl.com", "t.ly", "is.gd", "cutt.ly", "rebrand.ly", "shorturl.at", "goo.su", "ow.ly", "rb.gy", "tiny.cc", "s.id"}
}

// freeHosts carry pages of anybody who has a mail address.
func freeHosts() []string {
	return []string{"vercel.app", "netlify.app", "pages.dev", "web.app", "firebaseapp.com", "workers.dev", "glitch.me", "surge.sh", "replit.app", "onrender.com", "weebly.com",
		"wixsite.com", "blogspot.com", "notion.site", "carrd.co", "framer.website", "webflow.io", "000webhostapp.com", "ngrok.io", "ngrok-free.app", "trycloudflare.com", "loca.lt"}
}

var (
	// needed matches words that make a setup a condition.
	needed = said(`\b(?:must|required?|requires|requirement|needs?|needed|mandatory|necessary|prerequisites?|(?:will|do|does|can) ?not (?:work|function|run|start)|won['’]t (?:work|function|run)|without (?:it|this|that|\w+ installed)|before (?:using|you|continuing|proceeding|first use|the first|this skill|anything)|not (?:yet )?installed|is missing|first)\b`)
	// fetched matches words for getting a program.
	fetched = said(`\b(?:download|install|set up|setup|get (?:it|the|them)|grab)\b`)
	// byHand matches starting it by hand.
	byHand = said(`\b(?:terminal|powershell|command prompt|executable|installer|\.exe|\.dmg|\.pkg|\.msi|unpack|unzip|extract|double-click|launch|run (?:it|the (?:file|setup|binary|program|installer|script|code|command))|execute (?:it|the|this)|start (?:it|the (?:file|setup|program))|setup\.\w+|copy the (?:code|command|script|line)|paste)\b`)
)

// around returns the paragraphs near m.
func (d *document) around(m *match) string {
	return d.text[max(0, m.start-2*before):min(len(d.text), m.end+before)]
}

// judgeShared blocks a share, paste or short link that something must be fetched
// from and started by hand.
func judgeShared(d *document, m *match) bool {
	text := d.around(m)
	if !needed.MatchString(text) || !fetched.MatchString(text) && !byHand.MatchString(text) {
		return false
	}
	if byHand.MatchString(text) {
		m.severity, m.confidence = diag.Error, 0.85
	} else if !containsAny(text, "CLI", "agent", "helper", "driver", "tool", "utility", "program") {
		return false
	}
	return dropNegated(d, m)
}

// judgeFree escalates a page on a free host that something must be fetched from.
func judgeFree(d *document, m *match) bool {
	text := d.sentences(m.start)
	near := d.around(m)
	if !fetched.MatchString(text) || !needed.MatchString(near) {
		return false
	}
	if byHand.MatchString(text) || absolute.MatchString(near) {
		m.severity, m.confidence = diag.Error, 0.75
	}
	return dropNegated(d, m)
}

// absolute matches the threat that nothing works without it.
var absolute = said(`\b(?:none of (?:the|its)|nothing works|(?:will|do|does|can) ?not (?:work|function|run) (?:without|until|unless)|won['’]t (?:work|function) (?:without|until|unless)|without \w+ installed|do not (?:attempt|continue|proceed)|before (?:continuing|proceeding))\b`)

// judgePasted leaves the well-known installers of package managers to the rule
// that shows a piped download.
func judgePasted(d *document, m *match) bool {
	if !needed.MatchString(d.around(m)) {
		m.lower(diag.Warning)
	}
	return dropNegated(d, m)
}

func judgeFollowedSetup(d *document, m *match) bool {
	return absolute.MatchString(d.around(m)) && fetchedOrRunning.MatchString(d.around(m)) && dropNegated(d, m)
}

var fetchedOrRunning = said(`\b(?:install(?:ed)?|running|download|set up)\b`)
