package scan

import (
	"strings"
)

var programCall = expr(`\b(?:subprocess\.(?:run|call|Popen|check_output|check_call)|os\.(?:system|popen|exec[lv]p?e?)|execSync|execFile(?:Sync)?|spawn(?:Sync)?|child_process\.exec)\s*\(\s*(?:\[\s*)?f?["'` + "`" + `]([^"'` + "`" + `\s]{1,80})|(?:^|[\n;&|(` + "`" + `])[ \t]*(?:\$\s+)?((?:(?:ba)?sh|python3?|node|perl|ruby|source|npx|uvx|bunx)[ \t]+(?:-\w+[ \t]+)*[\w@./-]*[\w./-]|\./[\w./-]+)`)

// riskyCall matches programs that reach other machines, gain other rights or cannot
// be undone, with the words that tell their uses apart.
var riskyCall = expr("(?:^|[\\n;&|(`])[ \\t]*(?:\\$\\s+)?((?:sudo|doas|curl|wget|nc|ncat|netcat|socat|ssh|scp|rsync|sftp|ftp|telnet|chmod|chown|crontab|systemctl|launchctl|nohup|dd|mkfs\\S*|shred|eval|openssl|iptables|ufw|useradd|usermod|passwd|visudo|osascript|powershell|pwsh|defaults|xattr|killall|mount|at|base64)\\b|rm\\s+-\\w+|git\\s+(?:remote|config|push|clone|submodule)|(?:npm|pnpm|yarn)\\s+(?:config|publish|exec|install\\s+-g)|pip3?\\s+config|docker\\s+(?:run|push|login|exec)|kubectl\\s+(?:apply|delete|exec|create|patch)|terraform\\s+(?:apply|destroy)|aws\\s+\\w+\\s+\\w+|gcloud\\s+\\w+|gh\\s+(?:auth|secret|api|repo|pr\\s+merge)|gpg\\s+--\\w+)(?:[^\\n`;&|]*?--recipient\\s+\\S+)?")

func callItems(d *document) []item {
	var items []item
	for _, re := range [][][]int{programCall.FindAllStringSubmatchIndex(d.text, -1), riskyCall.FindAllStringSubmatchIndex(d.text, -1)} {
		for _, loc := range re {
			for g := 2; g < len(loc); g += 2 {
				if loc[g] >= 0 && (d.placeOf(loc[g])&(shell|python|script|plain|data) != 0 || d.inSpan(loc[g])) && !d.inComment(loc[g]) && !d.forbidden(loc[g]) {
					items = append(items, item{span: span{loc[g], loc[g+1]}, key: strings.Join(strings.Fields(d.text[loc[g]:loc[g+1]]), " ")})
				}
			}
		}
	}
	return items
}
