package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// safeguardOffRule: a protection of the machine is switched off.
func safeguardOffRule() rule {
	return rule{RuleInfo: RuleInfo{"safeguard-off", Code, diag.Warning, "a protection of the machine is switched off",
		"Firewalls, virus scanners and checks of certificates protect the owner from programs like the one that turns them off.",
		"Leave protections on and name the exception that is needed."},
		patterns: []pattern{{
			near: []string{"ufw ", "iptables", "setenforce", "set-mppreference", "add-mppreference", "disableantispyware", "netsh advfirewall", "spctl", "csrutil", "apparmor", "pfctl", "com.apple.quarantine", "windefend", "executionpolicy", "ca-certificates", "update-ca-trust", "add-trusted-cert", "certutil", "import-certificate", "sslverify", "strict-ssl", "tls_reject_unauthorized", "pythonhttpsverify"},
			re:   expr(`(?i)\bufw\s+(?:--force\s+)?(?:disable|reset)\b|\biptables\s+(?:-F|--flush|-P\s+(?:INPUT|FORWARD)\s+ACCEPT)\b|\bsetenforce\s+0\b|\b(?:Set|Add)-MpPreference\s[^\n]*-(?:Disable\w+|Exclusion\w+)|\bDisableAntiSpyware\b|\bnetsh\s+advfirewall\s+set\s+\w+\s+state\s+off|\bspctl\s+--(?:master|global)-disable|\bcsrutil\s+disable|\bsystemctl\s+(?:stop|disable)\s+(?:apparmor|firewalld|ufw|falcon\S*|clamav\S*|auditd)|\bpfctl\s+-d\b|\bxattr\s+(?:-\w+\s+)*(?:-\w*d\w*\s+com\.apple\.quarantine|-c)\s|\bsc\s+(?:stop|config)\s+WinDefend|\bupdate-ca-(?:certificates|trust)\b|\bsecurity\s+add-trusted-cert\b|\bcertutil(?:\.exe)?\s[^\n]*-addstore\b|\bImport-Certificate\s[^\n]*Root\b|\bgit\s+config\s+--(?:global|system)\s+http\.sslVerify\s+["']?(?:false|0)\b|\b(?:npm|pnpm|yarn)\s+config\s+set\s+strict-ssl[ =]["']?false\b|(?m:^)[ \t]*strict-ssl[ \t]*=[ \t]*false\b|\b(?:export|setx)\s[^\n]*\b(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)[= ]["']?0`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.7, judge: judgeSafeguard,
		}}}
}

// switched matches a switch of Windows' virus scanner that disables something, and its value.
var switched = expr(`(?i)-Disable\w+(?:[ \t]*[:=][ \t]*|[ \t]+)(\S+)`)

// judgeSafeguard leaves a protection alone that is switched on.
func judgeSafeguard(d *document, m *match) bool {
	line := d.lineAround(m.start)
	all := switched.FindAllStringSubmatch(d.text[line.start:line.end], -1)
	on := slices.IndexFunc(all, func(s []string) bool {
		return !slices.Contains([]string{"$false", "${false}", "0"}, strings.ToLower(s[1]))
	}) < 0
	if on && len(all) > 0 && strings.Count(strings.ToLower(d.text[line.start:line.end]), "-disable") == len(all) && !strings.Contains(strings.ToLower(d.text[m.start:line.end]), "-exclusion") {
		return false
	}
	return judgeWipe(d, m)
}
