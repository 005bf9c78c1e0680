package scan

import "github.com/assent-dev/assent/engine/base/diag"

// undeclaredEffectRule: the code uses the network and the capability declares none.
func undeclaredEffectRule() rule {
	return rule{RuleInfo: RuleInfo{"undeclared-effect", Declaration, diag.Warning, "the code uses the network and the capability declares none",
		"Without a declared host or the side effect network, reviewers took it for offline.",
		"Add network to side_effects and the hosts to requires.hosts, or remove the call."},
		patterns: []pattern{{
			near:     []string{"requests.", "httpx.", "urlopen", "fetch(", "axios", "socket.", "http.request", "https.request", "curl ", "wget "},
			re:       expr(`\b(?:requests|httpx)\.(?:get|post|put|patch|delete|head|request)\s*\(|\burlopen\s*\(|(?:^|[^.\w])fetch\s*\(|\baxios(?:\.\w+)?\s*\(|\bsocket\.(?:socket|create_connection)\s*\(|\bhttps?\.(?:request|get)\s*\(|(?:^|[\n;&|(])\s*(?:curl|wget)\s+\S`),
			declared: true, in: python | script | shell, severity: diag.Warning, confidence: 0.8,
			judge: func(d *document, m *match) bool {
				return d.declared != nil && len(d.declared.Hosts) == 0 && !d.declared.network() && d.wholeProgram() && !d.inComment(m.start)
			},
		}}}
}
