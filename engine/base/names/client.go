package names

import (
	"slices"
	"strings"
)

// clientFiles are the names, folded, of files and folders that agent clients, editors, shells,
// runtimes and git read, and partly run, when they work in a folder that holds them.
var clientFiles = []string{
	".agents", ".aider.conf.yml", ".amazonq", ".amp", ".assent.yaml", ".augment", ".bunfig.toml", ".cargo", ".claude", ".claude-plugin", ".claude.json", ".clinerules", ".codex", ".continue",
	".copilot", ".crush", ".crush.json", ".cursor", ".cursorrules", ".devcontainer", ".devcontainer.json", ".dir-locals-2.el", ".dir-locals.el", ".env", ".env.local", ".envrc", ".exrc",
	".gemini", ".gitattributes", ".githooks", ".gitmodules", ".goosehints", ".husky", ".idea", ".junie", ".kiro", ".lefthook.yml", ".mcp.json", ".mise", ".mise.local.toml", ".mise.toml",
	".npmrc", ".nvim.lua", ".nvimrc", ".opencode", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", ".pnpmfile.mjs", ".pre-commit-config.yaml", ".qwen", ".roo", ".roorules", ".rules",
	".tool-versions", ".trae", ".vimrc", ".vscode", ".windsurf", ".windsurfrules", ".yarn", ".yarnrc", ".yarnrc.yml", ".zed", "agents.md", "agents.override.md", "bunfig.toml",
	"claude.local.md", "claude.md", "copilot-instructions.md", "crush.json", "crush.md", "gemini.md", "lefthook.yml", "mise.local.toml", "mise.toml", "opencode.json", "opencode.jsonc",
	"qwen.md", "warp.md",
}

// ClientFile reports whether clients obey a path: one of its names, compared like on the most
// permissive file system, is on the list.
func ClientFile(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		//defence:client-files-are-known-in-any-spelling
		if _, is := slices.BinarySearch(clientFiles, foldText(name)); is {
			return true
		}
	}
	return false
}
