package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// nameTunnelRule: a name lookup carries data out in the name itself.
func nameTunnelRule() rule {
	return rule{RuleInfo: RuleInfo{"name-tunnel", Code, diag.Error, "a name lookup carries data out in the name itself",
		"Name queries leave almost every network unfiltered, which makes them a tunnel for stolen data.",
		"Look up fixed names only."},
		patterns: []pattern{{
			near: []string{"dig ", "nslookup ", "host ", "ping ", "drill "},
			re:   expr(`(?:^|[\s;&|("'])(?:dig|nslookup|host|ping|drill)\s[^\n;|]*(?:\$\([^)\n]*(?:base64|xxd|cat|env|echo|whoami|hostname|od)[^)\n]*(?:\([^)\n]*\))?[^)\n]*\)|` + "`[^`\n]+`" + `)\.[\w-]+\.`),
			in:   shellLike | python | script, severity: diag.Error, confidence: 0.85, judge: softenShown,
		}, {
			near: []string{"gethostbyname", "getaddrinfo", "dig {", "nslookup {", "dig $", "nslookup $", "dns.resolve", "dns.lookup"},
			re:   expr(`(?i)\b(?:gethostbyname|getaddrinfo|dns\.resolve\w*|dns\.lookup|resolver\.(?:query|resolve))\s*\(\s*(?:f["'][^"'\n]*\{\w+\}\.|` + "`" + `\$\{\w+\}\.|\w*(?:enc|chunk|data|secret|payload|token|b64|hex)\w*\s*\+)|\b(?:dig|nslookup)\s+(?:\{\w+\}|\$\{?\w*(?:ENC|CHUNK|DATA|SECRET|PAYLOAD|TOKEN|B64|HEX)\w*\}?)\.`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: softenShown,
		}},
		check: tunnelledNames}
}

// tunnelledNames follows secrets and encoded data into names that are looked up.
func tunnelledNames(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Lookup || !a.Data.Has(program.Secret|program.KeyFile|program.Settings|program.Setting|program.Environment|program.Encoded|program.Private) || !strings.Contains(a.Data.Text, ".") && a.Data.Text != "" {
			return match{}, false
		}
		return r.acted(a, diag.Error, 0.85, "a name lookup carries data out: "+strings.Join(a.Data.Names, ", ")), true
	})
}
