// Package assent holds the live instance of this repository: the souls, skills,
// policies and workflows that `assent init` starts a workspace with. The file
// stands at the top because Go embeds only what lies below it.
package assent

import "embed"

// Template is the instance as it was when the program was built.
//
//go:embed soul skills policies workflows
var Template embed.FS
