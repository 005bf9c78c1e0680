package scan

import "github.com/assent-dev/assent/engine/diag"

// downloadRunRule: a program is fetched and run without being seen.
func downloadRunRule() rule {
	return rule{RuleInfo: RuleInfo{"download-run", Code, diag.Error, "a program is fetched and run without being seen",
		"Whoever controls the address decides what runs, and may decide differently tomorrow.",
		"Pin a version and a checksum, or install from a package registry; then run it as a second step."},
		patterns: []pattern{{
			near: []string{"curl", "wget", "fetch "},
			re:   expr(`(?i)\b(?:curl|wget)\b[^\n|;]*?\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:/usr)?(?:/bin/|/usr/bin/env\s+)?(?:env\s+)?(?:ba|z|da|k|fi)?sh\b|\b(?:curl|wget)\b[^\n|;]*?\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby|php|osascript)\b(?:\s+-)?(?:\s*$|\s*[\n"'` + "`" + `;&)])`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.8, judge: judgeDownload,
		}, {
			near: []string{"<(curl", "<(wget", "$(curl", "$(wget", "`curl", "< <(curl"},
			re:   expr(`(?i)\b(?:(?:ba|z|da)?sh|source|eval|\.)\s+(?:-\w+\s+)*["']?(?:<\s*<\(|<\(|\$\(|` + "`" + `)\s*(?:curl|wget)\b[^\n]*`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.8, judge: judgeDownload,
		}, {
			near: []string{"iex", "invoke-expression"},
			re:   expr(`(?i)\b(?:iex|invoke-expression)\b[^\n]*\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|curl)\b[^\n]*|\b(?:iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|]*\|\s*(?:iex|invoke-expression)\b`),
			in:   anywhere, severity: diag.Warning, confidence: 0.8, judge: judgeDownload,
		}, {
			near: []string{"chmod"},
			re:   expr(`(?i)\b(?:curl|wget)\b[^\n]*(?:\n[^\n]*){0,2}?\bchmod\s+(?:a?\+x|[0-7]*[157][0-7]{0,2})\s+(\S+)[^\n]*(?:&&|;|\n)\s*(?:sudo\s+|nohup\s+)?(?:\./|/tmp/|\$TMPDIR|/var/tmp/|/dev/shm/)\S+`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: judgeDownload,
		}, {
			near: []string{"exec(", "exec (", "eval(", "eval (", "compile(", "compile (", "function(", "function ("},
			re:   expr(`(?i)\b(?:exec|eval|compile|new\s+Function|Function)\s*\(\s*(?:await\s+)?(?:\(await\s+)?(?:requests|httpx|urllib\.request|urllib|urlopen|session|fetch|axios|http)\b[^\n]*`),
			in:   python | script | plain, severity: diag.Error, confidence: 0.9, judge: dropNegated,
		}}}
}

// judgeDownload blocks where the source is anonymous, and escalates otherwise:
// installers piped to a shell stand in one honest skill of thirty.
func judgeDownload(d *document, m *match) bool {
	line := d.text[m.start:m.end]
	if untrustedSource(line) {
		m.severity, m.confidence = diag.Error, 0.95
		return soften(d, m)
	}
	return dropNegated(d, m)
}
