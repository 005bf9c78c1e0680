package scan

import "github.com/assent-dev/assent/engine/base/diag"

// hiddenStyleRule: markup makes text invisible.
func hiddenStyleRule() rule {
	return rule{RuleInfo: RuleInfo{"hidden-style", Hidden, diag.Warning, "markup makes text invisible",
		"Text without size, colour or display is there for the model alone.",
		"Show it or delete it."},
		patterns: []pattern{{
			near: []string{"display:", "visibility:", "font-size:", "opacity:", "color:"},
			re:   expr(`(?i)<\w+[^>\n]*style\s*=\s*["'][^"'\n]*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*(?:0(?:px|pt|r?em|%)?|0?\.\d+(?:px|pt))\s*[;"'!]|opacity\s*:\s*0\s*[;"']|(?:^|[;\s"'])color\s*:\s*(?:white|#fff(?:fff)?|transparent))[^>\n]*>\s*[^<\s][^<]{10,400}`),
			in:   prose, severity: diag.Warning, confidence: 0.7, judge: soften,
		}, {
			near: []string{"[//]:", "[comment]:", "[_]:"},
			re:   expr(`(?i)(?:^|\n)\[(?://|comment|_)\]:\s*(?:#|<>)\s*[("'][^\n]*\b(?:ignore|you must|always|never|do not|execute|run|send|curl|instruction|agent|assistant)\b[^\n]*`),
			in:   prose, severity: diag.Warning, confidence: 0.7, judge: soften,
		}}}
}
