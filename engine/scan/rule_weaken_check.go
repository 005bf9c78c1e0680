package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/diag"
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
		}}}
}

// judgeFlag drops what is forbidden: "never use --force" is a safeguard.
func judgeFlag(d *document, m *match) bool {
	s := speechAt(d, m)
	return !s.negated && !s.example && !d.forbidden(m.start)
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
