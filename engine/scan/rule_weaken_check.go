package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// weakenCheckRule: the text switches off what would catch a mistake or an attack.
func weakenCheckRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"weaken-check", Instructions, diag.Warning, "the text switches off what would catch a mistake or an attack",
		"Tests, warnings, signatures, certificates and logs are there for the case that something is wrong.",
		"Leave the check on; if it fails wrongly, mend the check and say so in the proposal."},
		patterns: []pattern{{
			near: []string{"--no-verify", "--insecure", "curl -k", "-sk ", "-ks ", "verify=false", "stricthostkeychecking", "--no-check-certificate", "rejectunauthorized", "--trusted-host", "--disable-", "--skip-", "public-read", "chmod 777", "--privileged", "auto-approve", "--force", "push -f", "--no-gpg-sign", "--allow-unauthenticated", "--no-sandbox", "--nogpgcheck", "ssl_verify", "sslverify", "--ignore-scripts=false", "-n production", "administratoraccess", "tls_reject", "/protection", "/rulesets", "0.0.0.0/0", "--acl public", "--break-system"},
			re:   expr(`(?i)--no-verify\b|--insecure\b|\bcurl\s+-(?:\w*k\w*)\b|\bverify\s*=\s*False|StrictHostKeyChecking[= ]no|--no-check-certificate|rejectUnauthorized["']?\s*:\s*false|--trusted-host\b|--(?:disable|skip)-[\w-]*(?:check|verif|valid|test|scan|audit|sign|secur|confirm|protect)\w*|public-read\b|\bchmod\s+(?:-R\s+)?0?777\b|--privileged\b|-auto-approve\b|\bpush\s[^\n]*(?:--force\b|-f\b)|\s--force\b|--no-gpg-sign\b|--allow-unauthenticated\b|--no-sandbox\b|--nogpgcheck\b|ssl_?verify["']?\s*[:= ]\s*(?:false|0)|--ignore-scripts=false|-n\s+production\b|\bAdministratorAccess\b|TLS_REJECT_UNAUTHORIZED\S*\s*=\s*["']?0|0\.0\.0\.0/0|(?:-X|--method)[= ]*(?:DELETE|PUT|PATCH)\s+[^\s|;]*(?:/protection\b|/rulesets\b)\S*`),
			in:   shellLike | python | script, severity: diag.Note, confidence: 0.3, judge: judgeFlag,
		}, {
			near: []string{"disabl", "deactivat", "suppress", "bypass", "circumvent", "skip", "ignor", "silenc", "turn off", "turned off", "switch off", "switched off", "leave out the", "leave out all", "omit the", "omit all", "get around", "comment out", "delete the lock", "remove the lock", "delete failing", "remove failing", "remove the check", "remove the test", "delete the test",
				"be disregarded", "be passed over", "be closed", "not report", "never report", "not flag", "never flag", "not escalate", "never escalate", "not warn", "n't warn", "never warn", "not verify", "not validate", "not mask", "not redact", "not encrypt", "not log ", "longer check", "not check", "normal here", "exempt", "need not be", "second factor", "without encryption", "without a signature", "without signature", "without verif", "without valid", "without a check", "without tests", "without running", "as pass", "as green", "as succe", "as verified", "as reviewed", "as approved", "as safe", "as secure"},
			re: said(`\b(?:(?:(?:disabl|deactivat|suppress|bypass|circumvent|skip|ignor|omit|silenc|evad)(?:e|es|ed|ing|s|ping)?|turn(?:ed)? off|switch(?:ed)? off|leave out|remove|delete|get around|comment out) (?:(?:the|any|all|all of the|its|your|these|every|such|of|failing|broken|existing|noisy|those) ){0,4}(?:\w+ ){0,2}?(?:warnings?|failures?|failing tests?|errors from|checks?|tests|test suite|signatures?|certificates?|checksums?|logging|audit(?:ing| logs?| trail)?|firewall|antivirus|virus scanner|defender|gatekeeper|quarantine|two-factor|second factor|2fa|encryption|validation|verification|lock ?file|branch protection|code review|scanner|rate limits?|permission checks?|pre-commit hooks?|hooks|safeguards?)\b|(?:failures?|warnings?|errors|failing tests|alerts?|checks|mismatch(?:es)?)(?: \w+){0,4}? (?:may|can|should|must|are to|will|need not) (?:safely )?be (?:ignored|skipped|disregarded|suppressed|passed over|closed)|(?:do not|don['’]t|never|need not|no longer) (?:\w+ )?(?:warn|report|flag|escalate|verify|validate|mask|redact|encrypt|log|check)\b|(?:are|is) (?:normal here|exempt)\b|mark(?:ed|ing)? (?:it|them|those|these|that|this|the \w+|all|each)(?: \w+){0,2}? as (?:pass(?:ing|ed)|green|succe(?:ssful|eded)|verified|reviewed|approved|safe|secure)\b|need not be (?:looked at|checked|tested|reviewed|verified|signed|encrypted|logged)|no second factor|without (?:encryption|a signature|signatures?|verification|validation|a check|tests|running (?:the )?tests))`),
			in: prose | plain | hidden, severity: diag.Note, confidence: 0.3, judge: judgeWeaken,
		}, {
			near: []string{"no need to", "needn", "need not", "not necessary to", "unnecessary to", "need to", "have to"},
			re:   said(`\b(?:no need to|need(?:n['’]t| not)|(?:don['’]t|do not) (?:need|have) to|(?:not necessary|unnecessary) to) (?:phone|call|ring|telephone|ask|contact|(?:verify|confirm|check|double-check)(?: \w+){0,3}? with) (?:the |a |your |their |any )?(?:suppliers?|vendors?|payees?|banks?|creditors?|beneficiar(?:y|ies)|account holders?)\b`),
			in:   prose | plain | hidden, severity: diag.Warning, confidence: 0.6, judge: judgeOvercome,
		}, {
			near: []string{"block", "fail", "complain", "refuse", "reject", "object", "flag", "denies", "deny"},
			re:   said(`\b(?:if|when|whenever|once|should) (?:an? |the |any |some |your )?(?:\w+ ){0,2}?(?:checks?|hooks?|scanners?|gates?|guards?|polic(?:y|ies)|validators?|sandbox) (?:\w+ )?(?:blocks?|fails?|complains?|refuses?|rejects?|objects?|flags?|den(?:y|ies))\b[^.\n]{0,60}?(?:--no-verify\b|\b(?:turn|switch) (?:(?:it|them|(?:the|that) \w+) off|off (?:the|that) \w+)|\b(?:disable|bypass|deactivate|circumvent) (?:it|them|the (?:check|hook|scanner|gate|guard|policy|rule|validator|sandbox))\b|\b(?:add|put) [^.\n]{0,40}?\b(?:ignore|exclusion|exclude|exempt\w*|waiver|allow) ?-?(?:list|file)?s?\b)`),
			in:   prose | plain | hidden, severity: diag.Warning, confidence: 0.5, judge: judgeOvercome,
		}, {
			near: []string{"also if", "also when", "even if", "even when", "even where", "even though", "despite", "regardless of", "no matter"},
			re:   said(`\b(?:(?:also|even) (?:if|when|where|though) (?:(?:the|its|their|an?|any) ){0,2}(?:\w+ ){0,2}?(?:signatures?|checksums?|certificates?|hash(?:es)?|digests?|verification|integrity|fingerprints?)(?: checks?)? (?:fails?|failed|cannot be|(?:do|does) ?n[o'’]t match|mismatch\w*|differs?|(?:is|are) (?:missing|invalid|wrong|expired|unknown|broken))|(?:despite|regardless of|no matter) (?:(?:the|an?|any|its) ){0,2}(?:\w+ )?(?:signature|checksum|certificate|hash|digest|fingerprint)s? (?:errors?|mismatch\w*|warnings?|failures?))\b`),
			in:   prose | hidden, severity: diag.Warning, confidence: 0.6, judge: judgeOvercome,
		}, {
			near: []string{"always get", "always receive", "always ha", "always is", "is always", "are always", "always count", "always pass", "always rate", "always mark", "always report", "always classif", "always treat", "always score"},
			re:   said(`\b(?:always (?:gets?|receives?|has|have|counts?|passes|rate|mark|report|classify|treat|score)|(?:is|are) always (?:given|rated|marked|classified|treated|reported|scored)?) ?(?:\w+ ){0,4}?["“'(]?(?:safe|clean|pass(?:ed)?|approved|trusted|benign|harmless|verified|genuine|legitimate)\b[^.]{0,30}?\b(?:whatever|regardless|no matter|however|even if)\b`),
			in:   prose | plain | hidden, severity: diag.Warning, confidence: 0.6, judge: judgeOvercome,
		}}}
}

// judgeFlag drops what is forbidden: "never use --force" is a safeguard.
func judgeFlag(d *document, m *match) bool {
	s := speechAt(d, m)
	return !s.negated && !s.example && !d.forbidden(m.start)
}

// judgeOvercome drops what is forbidden or told of somebody else; the order itself has
// one reading.
func judgeOvercome(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		return true
	}
	return !s.negated && !s.example && !d.describes(m.start) && !d.forbidden(m.start) && !d.listsFlag(m.start)
}

// listsFlag reports whether the line of offset explains a flag of a program.
func (d *document) listsFlag(offset int) bool {
	line := d.lineAround(offset)
	text := strings.TrimLeft(d.text[line.start:line.end], "|*`- \t")
	lead := d.text[line.start : line.end-len(text)]
	return strings.HasSuffix(lead, "--") || strings.HasSuffix(lead, "-") && !strings.HasSuffix(lead, " ")
}

// guardian matches checks that belong to the machine's owner.
var guardian = said(`\b(?:firewall|antivirus|virus scanner|defender|gatekeeper|quarantine|audit(?:ing| logs?| trail))\b`)

// judgeWeaken raises it where the check guards the machine itself.
func judgeWeaken(d *document, m *match) bool {
	s := speechAt(d, m)
	switch {
	case s.concealed:
		m.severity, m.confidence = diag.Warning, 0.6
	// In brackets it is an aside, and no order.
	case strings.HasPrefix(d.text[m.end:], ")"), s.quoted, s.example, d.forbidden(m.start):
		return false
	case guardian.MatchString(d.text[m.start:m.end]) && !s.discussed:
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}
