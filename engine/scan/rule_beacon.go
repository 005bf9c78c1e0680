package scan

import "github.com/assent-dev/assent/engine/diag"

// beaconRule: a picture's address carries data away when it is shown.
func beaconRule() rule {
	return rule{RuleInfo: RuleInfo{"beacon", Hidden, diag.Warning, "a picture's address carries data away when it is shown",
		"Rendering a Markdown image fetches its address; with text of the conversation in the query, that text is sent.",
		"Link static pictures only."},
		patterns: []pattern{{
			near: []string{"]("},
			re:   expr(`!\[[^\]\n]{0,100}\]\(\s*https?://[^\s)]{1,200}[?&=/](?:\{\{?|\$\{?|<|%7B|\[)[^\s)]{1,80}`),
			in:   prose | hidden | data, severity: diag.Warning, confidence: 0.6, judge: soften,
		}}}
}
