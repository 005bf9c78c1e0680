package scan

import (
	"net/netip"
	"strings"

	"github.com/assent-dev/assent/engine/diag"
)

// downloadRules find programs that are fetched and run unseen.
func downloadRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"download-run", Code, diag.Error, "a program is fetched and run without being seen",
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
			}}},
		{RuleInfo: RuleInfo{"raw-address", Code, diag.Warning, "a public address is given as bare digits",
			"Honest services have names; a bare address escapes name-based rules and says nothing about its owner.",
			"Use the service's host name, and declare it."},
			patterns: []pattern{{
				near: []string{"://0", "://1", "://2", "://3", "://4", "://5", "://6", "://7", "://8", "://9"},
				re:   expr(`(?i)\b(?:https?|ftp|tcp|wss?)://(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|0x[0-9a-f]{8}|\d{9,10})\b(?::\d+)?[^\s"'` + "`" + `)>]{0,80}`),
				in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool { return !localAddress(m.group(d, 1)) && dropNegated(d, m) },
			}}},
		{RuleInfo: RuleInfo{"drop-host", Code, diag.Warning, "the text points to a host that anyone can drop content on anonymously",
			"Paste hosts carry payloads and request catchers carry stolen data, because nobody has to own them.",
			"Host the file with the capability, or at an address whose owner is known."},
			patterns: []pattern{{
				near: dropHosts(),
				re:   expr(`(?i)(?:https?://)?(?:[\w-]+\.)*(?:` + strings.Join(quoted(dropHosts()), "|") + `)/[^\s"'` + "`" + `)>]{3,100}`),
				in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
			}, {
				near: catchers(),
				re:   expr(`(?i)(?:https?://)?(?:[\w-]+\.)*(?:` + strings.Join(quoted(catchers()), "|") + `)\b[^\s"'` + "`" + `)>]{0,100}`),
				in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: dropNegated,
			}}},
	}
}

// dropHosts serve anonymous text and files.
func dropHosts() []string {
	return []string{"pastebin.com", "rentry.co", "rentry.org", "glot.io", "hastebin.com", "paste.ee", "dpaste.org", "dpaste.com", "ghostbin.com",
		"controlc.com", "0x0.st", "transfer.sh", "file.io", "temp.sh", "termbin.com", "ix.io", "sprunge.us", "paste.rs", "pastes.io", "anonfiles.com",
		"gofile.io", "catbox.moe", "bashupload.com", "oshi.at"}
}

// catchers record whatever is sent to them for whoever made the address.
func catchers() []string {
	return []string{"webhook.site", "requestbin.com", "requestbin.net", "pipedream.net", "requestcatcher.com", "interact.sh", "oast.fun", "oast.pro", "oast.live",
		"oast.site", "oast.online", "oast.me", "burpcollaborator.net", "beeceptor.com", "hookbin.com", "postb.in", "dnslog.cn", "canarytokens.com"}
}

func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ReplaceAll(w, ".", `\.`)
	}
	return out
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

// untrustedSource reports whether a command fetches from a bare public address
// or an anonymous host.
func untrustedSource(command string) bool {
	lower := strings.ToLower(command)
	if containsAny(lower, dropHosts()...) || containsAny(lower, catchers()...) || strings.Contains(lower, ".onion") {
		return true
	}
	for rest := lower; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			return bareAddress(lower)
		}
		rest = rest[i+3:]
		host := rest
		if j := strings.IndexAny(host, "/:? \t\"'"); j >= 0 {
			host = host[:j]
		}
		if publicAddress(host) {
			return true
		}
	}
}

// bareAddress reports whether a word of command is an address with a path and
// without a scheme, as curl accepts it.
func bareAddress(command string) bool {
	for _, word := range strings.Fields(command) {
		host, _, _ := strings.Cut(strings.Trim(word, `"'`), "/")
		host, _, _ = strings.Cut(host, ":")
		if publicAddress(host) {
			return true
		}
	}
	return false
}

func publicAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil && !localAddress(host)
}

// localAddress reports whether host is an address that is private, local or set
// aside for documentation (RFC 1918, 5737, 6598), or a well-known resolver.
func localAddress(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || addr.IsUnspecified() || addr.IsMulticast() {
		return true
	}
	for _, p := range []string{"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "100.64.0.0/10", "255.255.255.255/32", "1.1.1.0/24", "8.8.0.0/16", "1.2.3.4/32"} {
		if netip.MustParsePrefix(p).Contains(addr) {
			return true
		}
	}
	return false
}
