package scan

import "github.com/assent-dev/assent/engine/base/diag"

// namesHostRule: the text has its reader speak to this host.
func namesHostRule() rule {
	return rule{RuleInfo: RuleInfo{"names-host", Code, diag.Note, "the text has its reader speak to this host",
		"Where data goes to and programs come from is most of what a capability can do.",
		"Declare the host in requires.hosts, and name no host that the task does not need."},
		patterns: []pattern{
			hostRemarks([]string{"http://", "https://", "wss://", "ftp://"},
				`\b(?:https?|wss?|ftps?)://[\w.-]+\.[\w-]+`),
		}}
}
