package scan

import (
	"math"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// secretRule: a key stands in the text.
func secretRule() rule {
	certain := func(name, near, shape string) pattern {
		return pattern{near: strings.Split(near, " "), re: expr(shape), in: anywhere, severity: diag.Error, confidence: 0.9, judge: judgeSecret(name, 3)}
	}
	likely := func(name, near, shape string) pattern {
		p := certain(name, near, shape)
		p.severity, p.confidence = diag.Warning, 0.6
		return p
	}
	return rule{RuleInfo: RuleInfo{"secret", Secrets, diag.Error, "a key stands in the text",
		"What is in Git stays in Git: whoever can read the repository, now or later, holds the key.",
		"Revoke the key, remove it from the text and name it in requires.secrets instead."},
		patterns: []pattern{
			certain("AWS access key", "akia asia", `\b((?:AKIA|ASIA)[A-Z2-7]{16})\b`),
			certain("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", `\b(gh[pousr]_[A-Za-z0-9]{36,})\b`),
			certain("GitHub token", "github_pat_", `\b(github_pat_[A-Za-z0-9_]{60,})\b`),
			certain("GitLab token", "glpat-", `\b(glpat-[A-Za-z0-9_-]{20,})\b`),
			certain("Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xapp-", `\b(xox[abprs]-[0-9]{8,}-[A-Za-z0-9-]{16,}|xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]{32,})\b`),
			certain("Anthropic key", "sk-ant-", `\b(sk-ant-(?:api|admin|oat)\d{2}-[A-Za-z0-9_-]{60,})`),
			certain("OpenAI key", "sk-", `\b(sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})`),
			certain("Hugging Face token", "hf_", `\b(hf_[A-Za-z0-9]{34,})\b`),
			certain("npm token", "npm_", `\b(npm_[A-Za-z0-9]{36})\b`),
			certain("PyPI token", "pypi-", `\b(pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,})`),
			certain("Stripe key", "sk_live_ rk_live_", `\b([sr]k_live_[A-Za-z0-9]{20,})\b`),
			certain("SendGrid key", "sg.", `\b(SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})\b`),
			certain("DigitalOcean token", "dop_v1_ doo_v1_", `\b(do[op]_v1_[a-f0-9]{64})\b`),
			certain("Shopify token", "shpat_ shpss_", `\b(shp(?:at|ss|ca)_[a-fA-F0-9]{32})\b`),
			certain("Doppler token", "dp.pt.", `\b(dp\.pt\.[A-Za-z0-9]{43})\b`),
			certain("Vault token", "hvs.", `\b(hvs\.[A-Za-z0-9_-]{90,})\b`),
			certain("age secret key", "age-secret-key-", `\b(AGE-SECRET-KEY-1[A-Z0-9]{58})\b`),
			certain("Azure storage key", "accountkey=", `(?i)AccountKey=([A-Za-z0-9+/]{86}==)`),
			certain("private key", "private key-----", `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----\s+(?:[A-Za-z-]+: [^\n]*\n)*\s*([A-Za-z0-9+/=]{40,})`),
			likely("Google API key", "aiza", `\b(AIza[A-Za-z0-9_-]{35})\b`),
			likely("Twilio key", "sk0 sk1 sk2 sk3 sk4 sk5 sk6 sk7 sk8 sk9 ska skb skc skd ske skf", `\b(SK[a-f0-9]{32})\b`),
			likely("Mailgun key", "key-", `\b(key-[a-f0-9]{32})\b`),
			likely("OpenRouter key", "sk-or-", `\b(sk-or-v1-[a-f0-9]{64})\b`),
			likely("Groq key", "gsk_", `\b(gsk_[A-Za-z0-9]{50,})\b`),
			likely("Telegram bot token", ":aa", `\b(\d{8,10}:AA[A-Za-z0-9_-]{33})\b`),
			likely("JSON web token", "eyj", `\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,})`),
			likely("key in an address", "://", `\b[a-z][a-z0-9+]{2,12}://[\w.-]{1,40}:([^\s:@/"'$<{\[*]{10,60})@[\w.-]+`),
			{near: []string{"password", "secret", "token", "api_key", "apikey", "api-key"},
				re: expr(`(?i)\b[\w-]{0,30}(?:password|secret|token|api[_-]?key)["']?\s*[:=]\s*["']([A-Za-z0-9+/_!@#%^&*-]{24,100})["']`),
				in: code | data, severity: diag.Warning, confidence: 0.4, judge: judgeSecret("password or key", 4)},
		}}
}

// judgeSecret drops placeholders and what is too regular to be random: entropy
// is in bits a character, over the characters of the key itself.
func judgeSecret(name string, least float64) func(*document, *match) bool {
	return func(d *document, m *match) bool {
		key := m.group(d, 1)
		if isPlaceholder(key) || entropy(key) < least || strings.Contains(strings.ToLower(d.text[max(0, m.start-20):m.start]), "example") {
			return false
		}
		m.message = "a key stands in the text: " + name
		m.evidence = key[:min(len(key), 8)] + "…"
		return true
	}
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
