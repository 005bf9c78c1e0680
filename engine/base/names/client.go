package names

import (
	"slices"
	"strings"
)

// clientFiles are the names, folded, of files and folders that agent clients, editors, shells,
// runtimes and git read, and partly run, when they work in a folder that holds them.
var clientFiles = []string{
	".agents", ".aider.conf.yml", ".assent.yaml", ".bunfig.toml", ".claude", ".claude-plugin", ".claude.json", ".clinerules", ".codex", ".continue", ".cursor", ".cursorrules", ".devcontainer",
	".devcontainer.json", ".env", ".env.local", ".envrc", ".gemini", ".gitattributes", ".githooks", ".gitmodules", ".goosehints", ".husky", ".idea", ".junie", ".kiro", ".lefthook.yml", ".mcp.json",
	".mise", ".mise.local.toml", ".mise.toml", ".npmrc", ".opencode", ".pre-commit-config.yaml", ".roo", ".roorules", ".tool-versions", ".vscode", ".windsurf", ".windsurfrules", ".zed",
	"agents.md", "agents.override.md", "bunfig.toml", "claude.local.md", "claude.md", "gemini.md", "lefthook.yml", "mise.local.toml", "mise.toml", "opencode.json", "opencode.jsonc",
}

// ClientFile reports whether clients obey a path: one of its names, compared like on the most
// permissive file system, is on the list.
func ClientFile(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if _, is := slices.BinarySearch(clientFiles, foldText(name)); is {
			return true
		}
	}
	return false
}
