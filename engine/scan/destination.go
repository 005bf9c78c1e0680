package scan

import (
	"net/url"
	"strings"
)

// destination returns the host that an address names, in lower case, without a port.
func destination(address string) string {
	address = strings.TrimSpace(address)
	if i := strings.Index(address, "://"); i >= 0 {
		address = address[i+3:]
	} else if strings.HasPrefix(address, "/dev/") {
		address = strings.TrimPrefix(strings.TrimPrefix(address, "/dev/tcp/"), "/dev/udp/")
	}
	if i := strings.IndexAny(address, "/?# \"'"); i >= 0 {
		address = address[:i]
	}
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		address = address[i+1:]
	}
	if u, err := url.Parse("//" + address); err == nil {
		return strings.ToLower(u.Hostname())
	}
	return strings.ToLower(address)
}

// staysHere reports whether an address is this machine or its private network.
func staysHere(address string) bool {
	host := destination(address)
	return host == "localhost" || host == "host.docker.internal" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") && host != "" || localAddress(host)
}

// chosenByOwner reports whether an address is a variable: the user who runs the
// program chooses the destination.
func chosenByOwner(address string) bool {
	return address == "" || strings.HasPrefix(address, "$") || strings.HasPrefix(address, "\u2026") || strings.HasPrefix(address, "<") || strings.HasPrefix(address, "{")
}

// services are the owners of well-known keys: a word of the variable's name,
// and words of the hosts that it is meant for.
var services = map[string][]string{
	"AWS": {"amazonaws", "aws"}, "GITHUB": {"github", "ghcr"}, "GH": {"github"}, "GITLAB": {"gitlab"}, "OPENAI": {"openai", "azure"}, "ANTHROPIC": {"anthropic", "claude"}, "SLACK": {"slack"}, "STRIPE": {"stripe"},
	"TWILIO": {"twilio"}, "SENDGRID": {"sendgrid"}, "NPM": {"npmjs"}, "PYPI": {"pypi"}, "DOCKER": {"docker"}, "DISCORD": {"discord"}, "TELEGRAM": {"telegram"}, "GOOGLE": {"google", "googleapis", "gemini"}, "GEMINI": {"google", "googleapis"},
	"AZURE": {"azure", "microsoft", "windows"}, "HF": {"huggingface"}, "HUGGINGFACE": {"huggingface"}, "DATADOG": {"datadog"}, "CLOUDFLARE": {"cloudflare"}, "VERCEL": {"vercel"}, "HEROKU": {"heroku"}, "NOTION": {"notion"}, "LINEAR": {"linear"},
	"FIREBASE": {"google", "firebase"}, "MONGODB": {"mongodb"}, "SUPABASE": {"supabase"}, "DIGITALOCEAN": {"digitalocean"}, "SSH": {}, "DATABASE": {}, "DB": {}, "POSTGRES": {}, "MYSQL": {}, "REDIS": {}, "JWT": {}, "PRIVATE": {}, "WALLET": {}, "MNEMONIC": {}, "KUBE": {}, "VAULT": {"vault"},
	"CF": {"cloudflare"}, "DO": {"digitalocean"}, "GCP": {"google", "googleapis"}, "GL": {"gitlab"}, "HCLOUD": {"hetzner"}, "PD": {"pagerduty"}, "TG": {"telegram"},
	"TWITTER": {"twitter"}, "ATLASSIAN": {"atlassian", "jira"}, "JIRA": {"atlassian", "jira"}, "BITBUCKET": {"bitbucket"}, "CIRCLECI": {"circleci"}, "SENTRY": {"sentry"}, "ENCRYPTION": {}, "SIGNING": {}, "SESSION": {}, "MAILGUN": {"mailgun"}, "SHOPIFY": {"shopify"}, "PAYPAL": {"paypal"},
	"DEEPL": {"deepl"}, "AIRTABLE": {"airtable"}, "ASANA": {"asana"}, "TRELLO": {"trello"}, "HUBSPOT": {"hubspot", "hubapi"}, "ZENDESK": {"zendesk"}, "INTERCOM": {"intercom"}, "MAILCHIMP": {"mailchimp"}, "POSTMARK": {"postmarkapp"}, "RESEND": {"resend"},
	"ALGOLIA": {"algolia"}, "PINECONE": {"pinecone"}, "COHERE": {"cohere"}, "MISTRAL": {"mistral"}, "GROQ": {"groq"}, "REPLICATE": {"replicate"}, "ELEVENLABS": {"elevenlabs"}, "PERPLEXITY": {"perplexity"}, "TAVILY": {"tavily"}, "SERPAPI": {"serpapi"},
	"FIGMA": {"figma"}, "DROPBOX": {"dropbox", "dropboxapi"}, "CALENDLY": {"calendly"}, "PLAID": {"plaid"}, "XERO": {"xero"}, "NETLIFY": {"netlify"}, "GRAFANA": {"grafana"}, "SNYK": {"snyk"}, "SONAR": {"sonarcloud", "sonarsource"}, "CODECOV": {"codecov"},
	"LINODE": {"linode"}, "OPENROUTER": {"openrouter"}, "TODOIST": {"todoist"}, "CLICKUP": {"clickup"}, "MAPBOX": {"mapbox"}, "SPOTIFY": {"spotify"}, "DD": {"datadoghq"},
}

// keyService returns the service in a variable's name, in upper case, and whether
// the service is known.
func keyService(name string) (string, bool) {
	for _, word := range strings.Split(strings.ToUpper(name), "_") {
		if _, ok := services[word]; ok {
			return word, true
		}
	}
	word, _, _ := strings.Cut(strings.ToUpper(name), "_")
	return word, false
}

// belongs reports whether the key that a variable holds is meant for host: one
// of the service's hosts, or one that shares a word with the name.
func belongs(name, host string) bool {
	if host == "" {
		return true
	}
	service, known := keyService(name)
	for _, w := range services[service] {
		if hostWord(host, w) {
			return true
		}
	}
	for _, w := range strings.Split(strings.ToLower(name), "_") {
		if len(w) >= 3 && !genericWord(w) && (!known || !strings.EqualFold(w, service)) && strings.Contains(host, w) {
			return true
		}
	}
	return !known && len(service) >= 3 && strings.Contains(host, strings.ToLower(service)) && !genericWord(strings.ToLower(service))
}

// hostWord reports whether w is a part of host's registered name: evil.com
// becomes no part of github.com by being called github.evil.com.
func hostWord(host, w string) bool {
	parts := strings.Split(host, ".")
	for i := max(0, len(parts)-3); i < len(parts); i++ {
		if i == len(parts)-3 && len(parts[len(parts)-1]) > 2 {
			continue
		}
		// Only the service has "notion.so"; anybody can have "notion-tools.dev".
		if strings.Contains(parts[i], w) && !strings.Contains(parts[i], "-") {
			return true
		}
	}
	return false
}

func genericWord(w string) bool {
	switch w {
	case "api", "key", "token", "secret", "password", "access", "auth", "client", "app", "user", "bot", "private", "public", "account", "service", "url", "webhook", "com", "net", "org", "dev", "test", "data", "web":
		return true
	}
	return false
}
