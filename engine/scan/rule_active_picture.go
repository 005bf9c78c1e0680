package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// activePictureRule: a picture holds a program.
func activePictureRule() rule {
	return rule{RuleInfo: RuleInfo{"active-picture", Hidden, diag.Warning, "a picture holds a program that runs when it is opened",
		"Nobody reads a drawing as code, and a browser runs what stands in it with the rights of the page.",
		"Draw it without scripts and without attributes that begin with on."},
		patterns: []pattern{{
			near: []string{"<script", "onload", "onclick", "onerror", "onmouse", "onfocus", "onbegin", "onend", "javascript:"},
			re:   expr(`(?i)<script\b[^>]{0,200}>|\son(?:load|click|error|mouse\w+|focus\w*|begin|end|activate)\s*=\s*["'][^"'\n]{0,300}|\bhref\s*=\s*["']\s*javascript:[^"'\n]{0,300}`),
			in:   anywhere, severity: diag.Warning, confidence: 0.7, judge: inPicture,
		}}}
}

// inPicture: what a page may hold, a picture has no use for.
func inPicture(d *document, _ *match) bool { return strings.EqualFold(path.Ext(d.path), ".svg") }
