package scan

import (
	"strings"
)

// power matches an act on a right, a key or a safeguard of a system.
var power = said(`\b(give|grant|allow|publish|share|delete|drop|remove|change|set|export|put|send|forward|pass|attach|disable|enable|expose|assign|reset|make|create|add|use|hand|turn|lower|raise|move|replace)s?\b[^.]{0,80}?\b((?:owner|admin|write|full|root) (?:rights?|access|role|permissions?)|permissions?|tokens?|credentials?|passwords?|private keys?|authorization header|public(?:ly)?(?: link)?|share to (?:the )?web|allow editing|anyone with the link|audit \w+|lifecycle|retention|log level|second factor|namespace|production|firewall|security groups?|service accounts?|mail address of|recovery)\b`)

// keeping matches an act that preserves its object.
var keeping = said(`\b(?:holds?|locks?|retain\w*|preserv\w*|backups?|cop(?:y|ies) of)\b`)

// powerItems are known by act and object, so that other words for the same are
// no news.
func powerItems(d *document) []item {
	var items []item
	for _, loc := range power.FindAllStringSubmatchIndex(d.text, -1) {
		if d.placeOf(loc[0])&(prose|hidden) == 0 || d.forbidden(loc[0]) || strings.HasPrefix(d.text[loc[3]:], " up ") {
			continue
		}
		if keeping.MatchString(d.text[loc[0]:loc[4]]) {
			continue
		}
		if strings.HasSuffix(strings.ToLower(d.text[loc[0]:loc[4]]), "app ") {
			continue // a password that a service makes for one program
		}
		key := d.text[loc[2]:loc[3]] + " " + strings.TrimSuffix(d.text[loc[4]:loc[5]], "s")
		items = append(items, item{span: span{loc[0], loc[1]}, key: strings.ToLower(key)})
	}
	return items
}
