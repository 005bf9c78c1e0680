package scan

import "github.com/assent-dev/assent/engine/base/diag"

// wideScopeRule: the text reaches for everything rather than for what a task needs.
func wideScopeRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"wide-scope", Instructions, diag.Warning, "the text reaches for everything rather than for what its task needs",
		"Whole homes, disks, accounts and administrators' rights are more than a single task can need.",
		"Name the folder, account or right that the task is about."},
		patterns: []pattern{{
			near: []string{"home folder", "home directory", "whole disk", "entire disk", "on the disk", "whole machine", "entire machine", "on the machine", "this machine", "this computer", "whole drive", "entire drive", "file system", "filesystem", "all repositories", "every repository", "all calendars", "all mailboxes", "all accounts", "all projects", "other people's", "other people’s", "colleagues", "admin access", "administrator", "admin key", "admin rights", "admin role", "admin token", "full rights", "full access", "full control", "root rights", "owner of all", "everything that is said", "everything that the user", "all conversations", "every conversation", "any account", "whatever account", "all folders", "any folder", "whole mailbox", "entire mailbox", "private entries", "private remarks", "as root", "privileged", "world-readable", "a copy of every", "a copy of each", "a copy of all", "with partner", "with third", "with other compan", "with outside", "remember the user's", "remember their", "every file on"},
			re:   said(`\b(?:anywhere (?:in|on|under) (?:the |your |this )?(?:home|disk|drive|machine|computer|file ?system|account)|(?:all|every|any|whole|entire) (?:\w+ ){0,3}?(?:(?:in|on|of|under|across) )?(?:the |your |this |that |their )?(?:whole |entire )?(?:home (?:folder|directory)|disks?|drive|machine|file ?system|mailbox(?:es)?)|(?:of|in|across|from|to|on|use|read|search|scan|with|for|over) all (?:the )?(?:repositories|calendars|mailboxes|accounts|projects|folders|conversations)\b|every (?:repository|conversation)|other people['’]s (?:\w+ )?(?:folders?|files?|keys?|mail|mailbox|accounts?|calendars?|home)|(?:those|that|calendars?|files|mail) of colleagues|(?:admin(?:istrator)?|full|root) (?:access|rights?|key|role|token|control|permissions?)|owner of all|everything that (?:is said|the user (?:says|does|types))|(?:any|whatever) account|(?:run|install|start|execute|be|set)\b[^.\n]{0,60}? (?:as root|privileged)|world-readable|(?:keep|save|store|make|send) a copy of (?:every|each|all)|shared? (?:\w+ )?with (?:partner|third|other compan|outside)\w*|remember (?:the user['’]s|their) (?:\w+ ){0,3}?(?:passport|card|password|key|token|data|details|address)\w*|(?:with|including|and|collect) private (?:entries|remarks|messages|data))\b`),
			in:   prose | plain | hidden, severity: diag.Note, confidence: 0.3, judge: judgeUnasked,
		}}}
}
