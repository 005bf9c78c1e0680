package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// packageSourceRule: packages come from an unusual place.
func packageSourceRule() rule {
	return rule{RuleInfo: RuleInfo{"package-source", Packages, diag.Error, "packages are taken from an unusual place",
		"Whoever runs a registry decides what every name in it means.",
		"Install from the language's own registry, or name the company's in its configuration."},
		patterns: []pattern{{
			near: []string{"--index-url", "--extra-index-url", "--registry", "pip_index_url", "npm_config_registry", "set registry", "--trusted-host", "--find-links", "global.index-url"},
			re:   expr(`(?i)(?:--(?:extra-)?index-url[= ]|--registry[= ]|\b(?:PIP_(?:EXTRA_)?INDEX_URL|NPM_CONFIG_REGISTRY|UV_INDEX_URL)=|\bconfig\s+set\s+(?:global\.)?(?:registry|index-url)\s+|--find-links[= ]|-f\s+)["']?(https?://[^\s"'` + "`" + `]+)|--trusted-host[= ]\s*(\S+)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.6, judge: judgeRegistry,
		}, {
			near: []string{"git+http", "git+ssh", "install http", "-u http", "add http"},
			re:   expr(`(?i)\b(?:pip3?|uv|uvx|pipx|npm|pnpm|yarn|npx|gem|cargo)\s[^\n;|&]*?((?:git\+)?https?://[^\s"'` + "`" + `]+)`),
			in:   shellLike | python | script, severity: diag.Warning, confidence: 0.5, judge: judgeRegistry,
		}, {
			near: []string{"registry=", "registry =", "index-url=", "index-url =", "index =", "goproxy=", "uv_default_index="},
			re:   expr(`(?im)^[ \t]*(?:registry|(?:extra-)?index-url|default-index)[ \t]*=[ \t]*["']?(https?://[^\s"'` + "`" + `]+)|\b(?:GOPROXY|UV_DEFAULT_INDEX)=["']?(https?://[^\s"'` + "`" + `,]+)`),
			in:   anywhere, severity: diag.Warning, confidence: 0.6, judge: judgeRegistry,
		}}}
}

// judgeRegistry lowers well-known places and blocks bare addresses.
func judgeRegistry(d *document, m *match) bool {
	address := m.group(d, 1) + m.group(d, 2)
	if reservedHost(destination(strings.TrimPrefix(address, "git+"))) || chosenByOwner(strings.TrimPrefix(address, "https://")) || staysHere(strings.TrimPrefix(address, "git+")) {
		return false
	}
	host := destination(strings.TrimPrefix(address, "git+"))
	switch {
	case untrustedSource(address):
		m.severity, m.confidence = diag.Error, 0.85
		return softenShown(d, m)
	case containsAny("."+host, ".pypi.org", ".pythonhosted.org", ".npmjs.org", ".npmjs.com", ".yarnpkg.com", ".pytorch.org", ".nvidia.com", ".jsr.io", ".npmmirror.com", ".golang.org", ".goproxy.io", ".goproxy.cn", ".tsinghua.edu.cn", ".aliyun.com", ".tencent.com"):
		return false
	case containsAny("."+host, ".github.com", ".gitlab.com", ".codeberg.org", ".pkg.dev", ".githubusercontent.com", ".huggingface.co", ".codeload.github.com") && strings.Contains(address, "https://"):
		m.lower(diag.Note)
	}
	return dropNegated(d, m)
}
