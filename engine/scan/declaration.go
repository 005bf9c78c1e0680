package scan

import (
	"net/url"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// declarationRules compare what code uses with what its capability declares.
// They are silent where nothing is declared: see Options.Declared.
func declarationRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"undeclared-host", Declaration, diag.Warning, "the code speaks to a host that the capability does not declare",
			"A declaration is what reviewers assent to and what the sandbox lets through; more than that is a surprise.",
			"Add the host to requires.hosts, or remove the call."}, check: undeclaredHosts},
		{RuleInfo: RuleInfo{"undeclared-secret", Declaration, diag.Warning, "the code reads a secret that the capability does not declare",
			"An undeclared secret is not there in the sandbox, and a declared one is what reviewers saw.",
			"Add it to requires.secrets, or stop reading it."},
			patterns: []pattern{{
				near: []string{"environ", "getenv", "process.env", "env."},
				re:   expr(`(?i)(?:os\.environ(?:\.get)?\s*[\[(]\s*["']|os\.getenv\s*\(\s*["']|process\.env\.|process\.env\[\s*["']|Deno\.env\.get\(\s*["'])(\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?))\b`),
				in:   python | script, severity: diag.Warning, confidence: 0.9,
				judge: func(d *document, m *match) bool {
					return d.declared != nil && !slices.Contains(d.declared.Secrets, m.group(d, 1)) && !d.inComment(m.start)
				},
			}}},
		{RuleInfo: RuleInfo{"undeclared-effect", Declaration, diag.Warning, "the code uses the network and the capability declares none",
			"Without a declared host or the side effect network, reviewers took it for offline.",
			"Add network to side_effects and the hosts to requires.hosts, or remove the call."},
			patterns: []pattern{{
				near: []string{"requests.", "httpx.", "urlopen", "fetch(", "axios", "socket.", "http.request", "https.request", "curl ", "wget "},
				re:   expr(`\b(?:requests|httpx)\.(?:get|post|put|patch|delete|head|request)\s*\(|\burlopen\s*\(|(?:^|[^.\w])fetch\s*\(|\baxios(?:\.\w+)?\s*\(|\bsocket\.(?:socket|create_connection)\s*\(|\bhttps?\.(?:request|get)\s*\(|(?:^|[\n;&|(])\s*(?:curl|wget)\s+\S`),
				in:   python | script | shell, severity: diag.Warning, confidence: 0.8,
				judge: func(d *document, m *match) bool {
					return d.declared != nil && len(d.declared.Hosts) == 0 && !d.declared.network() && d.wholeProgram() && !d.inComment(m.start)
				},
			}}},
	}
}

func (d Declared) network() bool { return slices.Contains(d.SideEffects, "network") }

// wholeProgram reports whether the document is code, not a text with examples.
func (d *document) wholeProgram() bool {
	return len(d.regions) == 1 && d.regions[0].place&(python|script|shell) != 0
}

// undeclaredHosts looks at programs only: a text may name any host.
func undeclaredHosts(_ *machine, d *document) []match {
	if d.declared == nil || !d.wholeProgram() {
		return nil
	}
	var found []match
	for _, h := range hosts(d) {
		if !d.declared.admits(h.name) && !d.inComment(h.start) {
			found = append(found, match{start: h.start, end: h.end, severity: diag.Warning, confidence: 0.9,
				message: "the code speaks to " + Visible(h.name) + ", which the capability does not declare"})
		}
	}
	return found
}

func (d Declared) admits(host string) bool {
	for _, declared := range d.Hosts {
		name, _, _ := strings.Cut(strings.ToLower(declared), ":")
		if name == host || strings.HasPrefix(name, "*.") && strings.HasSuffix(host, name[1:]) {
			return true
		}
	}
	return false
}

// host is a host named in a URL.
type host struct {
	span
	name string
}

var urlHost = expr(`(?i)\b(?:https?|wss?|ftp|tcp)://[^\s/"'` + "`" + `)>\]}?#,;\\]{1,253}`)

// hosts returns the hosts of absolute URLs in d, without local, reserved and
// templated ones, lower-case.
func hosts(d *document) []host {
	if !strings.Contains(d.text, "://") {
		return nil
	}
	var found []host
	for _, loc := range urlHost().FindAllStringIndex(d.text, -1) {
		u, err := url.Parse(d.text[loc[0]:loc[1]])
		if err != nil {
			continue
		}
		name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
		if !strings.Contains(name, ".") || strings.ContainsAny(name, "{}$<>*%") || localAddress(name) || reservedHost(name) {
			continue
		}
		found = append(found, host{span{loc[0], loc[1]}, name})
	}
	return found
}

// reservedHost reports whether name can reach nobody (RFC 2606, RFC 6761), or
// only names a schema or a licence.
func reservedHost(name string) bool {
	for _, suffix := range []string{".example", ".test", ".invalid", ".localhost", ".local"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	switch name {
	case "example.com", "example.org", "example.net", "www.w3.org", "json-schema.org", "schemas.openxmlformats.org", "www.apache.org", "opensource.org", "creativecommons.org":
		return true
	}
	return false
}
