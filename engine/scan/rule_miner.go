package scan

import "github.com/assent-dev/assent/engine/base/diag"

// minerRule: a cryptocurrency miner is started.
func minerRule() rule {
	return rule{RuleInfo: RuleInfo{"miner", Code, diag.Error, "a cryptocurrency miner is started",
		"Miners spend the owner's electricity for somebody else.",
		"Remove it."},
		patterns: []pattern{{
			near: []string{"stratum+tcp", "stratum+ssl", "xmrig", "minerd"},
			re:   expr(`(?i)stratum\+(?:tcp|ssl)://[^\s"']{4,80}|(?:^|[\s;&|(/])(?:xmrig|minerd)\s+(?:-o|--url|-a\s|--algo|-u\s)`),
			in:   anywhere, severity: diag.Error, confidence: 0.9, judge: softenShown,
		}}}
}
