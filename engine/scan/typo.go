package scan

import (
	"strings"
	"sync"
)

// The names here are those that typosquats imitate: packages that very many
// programs install. The lists are short on purpose: a package whose name happens to
// be close to a rare one is not an attack.

func popular(system string) []string {
	switch system {
	case "npm":
		return []string{"express", "lodash", "react", "preact", "react-dom", "typescript", "webpack", "eslint", "prettier", "axios", "chalk", "commander", "dotenv", "jquery", "mongoose", "mongodb", "nodemon", "puppeteer", "playwright", "playwright-core", "cross-env", "babel", "moment", "request", "requests", "async", "socket.io",
			"electron", "ethers", "web3", "discord.js", "telegraf", "telegram", "openai", "langchain", "cheerio", "inquirer", "fs-extra", "node-fetch", "body-parser", "underscore", "bluebird", "minimist", "colors", "color", "colorette", "vitest", "rollup", "esbuild", "tailwindcss", "postcss", "next", "nuxt", "svelte", "redux", "graphql", "prisma", "sequelize", "winston", "passport", "bcrypt", "bcryptjs", "jsonwebtoken", "nodemailer", "supabase", "firebase", "vercel", "netlify", "wrangler", "http-server", "live-server", "create-react-app", "server-filesystem", "server-memory", "server-github", "server-postgres", "server-puppeteer", "server-sequential-thinking", "server-everything", "server-brave-search", "mcp-remote", "mcp-server", "agent-browser", "clawhub", "clawdhub", "claude-code"}
	case "pypi":
		return []string{"requests", "request", "numpy", "pandas", "panda", "scipy", "scapy", "scanpy", "pypff", "matplotlib", "scikit-learn", "sklearn", "dotenv", "tensorflow", "torch", "torchx", "torchvision", "django", "flask", "fastapi", "pydantic", "sqlalchemy", "beautifulsoup4", "selenium", "playwright", "pillow", "opencv-python", "pytest", "cryptography", "pycryptodome", "paramiko", "boto3", "botocore", "urllib3", "certifi", "setuptools",
			"colorama", "python-dateutil", "python-dotenv", "pyyaml", "jinja2", "aiohttp", "httpx", "uvicorn", "openai", "anthropic", "langchain", "transformers", "huggingface-hub", "tiktoken", "psycopg2", "psycopg2-binary", "pymongo", "redis", "celery", "scrapy", "pyinstaller", "discord.py", "telethon", "web3", "solana", "solara", "ccxt", "yfinance", "pypdf", "pypdf2", "pypdf3", "openpyxl", "reportlab", "markitdown", "mcp-server-fetch", "mcp-server-git", "mcp-server-sqlite", "mcp-server-time"}
	case "crates":
		return []string{"serde", "serde_json", "tokio", "reqwest", "rand", "clap", "anyhow", "thiserror", "rayon", "regex", "hyper", "axum", "tracing", "chrono", "futures", "ripgrep", "rustdecimal", "rust_decimal", "sqlx", "diesel"}
	case "go":
		return []string{"github.com/sirupsen/logrus", "github.com/spf13/cobra", "github.com/spf13/viper", "github.com/stretchr/testify", "github.com/gin-gonic/gin", "github.com/gorilla/mux", "github.com/boltdb/bolt", "golang.org/x/tools/gopls", "golang.org/x/tools", "github.com/golangci/golangci-lint"}
	case "scope":
		return []string{"modelcontextprotocol", "anthropic-ai", "anthropic", "anthropics", "openai", "angular", "babel", "typescript-eslint", "nestjs", "aws-sdk", "google-cloud", "azure", "vercel", "playwright", "supabase", "sentry", "microsoft", "langchain", "tanstack", "cloudflare", "notionhq", "upstash"}
	case "skill":
		return []string{"webapp-testing", "mcp-builder", "skill-creator", "artifacts-builder", "web-artifacts-builder", "algorithmic-art", "canvas-design", "brand-guidelines", "internal-comms", "slack-gif-creator", "theme-factory", "frontend-design", "document-skills", "doc-coauthoring", "systematic-debugging", "test-driven-development", "agent-browser", "find-skills", "self-improving-agent"}
	}
	return nil
}

// commonWords returns words that are common in names of tools. A tool's author spells
// them right; an imitation leaves a letter out or swaps two.
func commonWords() []string {
	return []string{"diagnostics", "diagnostic", "validator", "validation", "formatter", "inspector", "analyzer", "analyser", "generator", "converter", "scheduler", "security", "registry", "database", "template", "markdown", "protocol", "filesystem", "sequential", "thinking", "postgres", "playwright", "puppeteer", "javascript", "typescript", "assistant", "automation", "calendar", "document", "download", "extractor", "summarizer", "summariser",
		"translator", "transcriber", "scraper", "dashboard", "notification", "integration", "kubernetes", "terraform", "telegram", "whatsapp", "discord", "developer", "debugger", "deployment", "dependency", "dependencies", "optimizer", "optimiser", "organizer", "organiser", "manager", "monitor", "explorer", "embeddings", "encryption", "authentication", "authenticator", "wallet", "ethereum", "solana", "polymarket"}
}

// nameList is a list of names, and each without separators.
type nameList struct{ names, folded []string }

// popularNames are the lists of popular, by system.
//
//nolint:gochecknoglobals // a constant that is made on first use.
var popularNames = sync.OnceValue(func() map[string]nameList {
	out := map[string]nameList{}
	for _, system := range []string{"npm", "pypi", "crates", "go", "scope", "skill"} {
		list := nameList{names: popular(system)}
		for _, n := range list.names {
			list.folded = append(list.folded, foldSeparators(n))
		}
		out[system] = list
	}
	return out
})

// imitated returns the popular name that name is one slip away from, or "".
func imitated(system, name string) string {
	folded := foldSeparators(name)
	best := ""
	known := popularNames()[system]
	for i, q := range known.folded {
		if q == folded {
			return ""
		}
		if best == "" && slip(folded, q) {
			best = known.names[i]
		}
	}
	return best
}

// foldSeparators returns s in lower case without the separators of its words.
func foldSeparators(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// slip reports whether a is b with one letter left out, added, changed or two
// neighbours swapped; names under five letters are too close to each other, and
// long ones may have two slips.
func slip(a, b string) bool {
	if len(a) < 5 || len(b) < 5 || max(len(a), len(b)) > 64 {
		return false
	}
	if strings.TrimRight(a, "0123456789") == b || strings.TrimRight(b, "0123456789") == a {
		return false
	}
	if strings.TrimSuffix(a, "s") == b && !strings.HasSuffix(b, "s") || strings.TrimSuffix(b, "s") == a || strings.HasSuffix(a, "js") && a[:len(a)-2] == b {
		return false
	}
	most := 1
	if len(b) >= 12 {
		most = 2
	}
	return distance(a, b, most) <= most
}

// misspelt returns the common word that a part of name misspells, or "".
func misspelt(name string) string {
	for _, part := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(part) < 8 || strings.HasSuffix(part, "ed") || strings.HasSuffix(part, "ing") {
			continue
		}
		near := ""
		for _, w := range commonWords() {
			if part == w || part == w+"s" || w == part+"s" || strings.TrimSuffix(part, "r") == strings.TrimSuffix(w, "r") {
				near = ""
				break
			}
			if near == "" && len(w) >= 7 && part[0] == w[0] && distance(part, w, 1) <= 1 {
				near = w
			}
		}
		if near != "" {
			return near
		}
	}
	return ""
}

// distance is Damerau and Levenshtein's, with neighbours swapped counted as one,
// or most+1 where it is greater than most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
