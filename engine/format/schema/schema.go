package schema

import (
	"embed"
	"slices"
)

//go:embed schemas/*.json
var files embed.FS

// Kinds lists the kinds of files that have a schema, in alphabetical order.
func Kinds() []string {
	kinds := []string{
		"skill", "capability", "tests", "proposal", "draft", "workflow", "task-result", "critique", "plan-result",
		"roles", "approvals", "autonomy", "limits", "security", "retention", "gaps", "workspace", "scenario", "notify", "opinion", "drafter",
	}
	slices.Sort(kinds)
	return kinds
}

// Get returns the schema of a kind of file as JSON text; ok is false for an unknown kind.
// For Markdown files it describes the front matter.
func Get(kind string) (text []byte, ok bool) {
	if !slices.Contains(Kinds(), kind) {
		return nil, false
	}
	text, err := files.ReadFile("schemas/" + kind + ".json")
	return text, err == nil
}
