package scan

import "github.com/assent-dev/assent/engine/base/diag"

// collectsRule: the text collects or keeps more than an answer needs: places, screens, histories, whole folders, records.
func collectsRule() rule {
	return rule{RuleInfo: RuleInfo{"collects", Instructions, diag.Note, "the text collects or keeps more than an answer needs: places, screens, histories, whole folders, records",
		"Where the user is, what was copied, typed or opened, and what else lies in the folder is seldom part of a task.",
		"Read what the user names; say what anything further is for."},
		patterns: []pattern{
			remarks([]string{"location", "clipboard", "screenshot", "history", "pbpaste", "xclip", "ipapi", "ipinfo", "geoip", "whoami", "hostname", "ip address", "prompts", "queries", "conversation", "keystroke", "contacts", "microphone", "camera"},
				`\b(?:pbpaste|xclip|xsel|wl-paste|screencapture|scrot|ipapi|ipinfo|geoip\w*|ip-api)\b[\w./]{0,30}|\b(?:fetch|collect|captur|record|gather|read|get|obtain|determin|tak|log|include?|add|sav|stor|track|list|us)(?:e|es|s|ing)? `+words(`5`)+`(?:(?:user'?s? |current |geo|ip )?locations?(?: metadata| data)?|clipboard|screenshots?|(?:shell|browser|browsing|command|chat|search|conversation) history|ip address(?:es)?|hostnames?|(?:user )?(?:prompts|queries)|keystrokes?|contacts|microphone|camera|usernames?)\b`),
			remarks([]string{"director", "folder", "workspace", "repository", "home", "drive", "filesystem", "file system", "*"},
				`\b(?:scan|search|walk|collect|zip|archiv|upload|copy|index|list|read|gather|enumerat|travers)(?:e|es|s|ing)? (?:through )?(?:the |all |every |your |their )*(?:whole|entire|complete|full|all)\b `+words(`4`)+`(?:director(?:y|ies)|folders?|workspace|repositor(?:y|ies)|home|drive|file ?system|disk|files)\b`),
			codeRemarks([]string{"'a'", "\"a\"", "'a+'", "\"a+\"", "appendfile", ">> "},
				`\bopen\([^)\n]{1,80}["']a[+b]*["']|\bappendFile(?:Sync)?\([^\n]{1,60}|>> ?[~.\w$][\w./${}-]{2,60}`),
		}}
}
