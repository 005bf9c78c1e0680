package policy

import (
	"regexp"
	"slices"
	"sync"
)

// effect is a side effect that rules know by name, and the words that name it.
type effect struct {
	name  string
	words *regexp.Regexp
}

// knownEffects read too much rather than too little: a word that is understood only makes rules stricter.
var knownEffects = sync.OnceValue(func() []effect {
	var out []effect
	for _, e := range [][2]string{
		{"files", `files?|file ?systems?|folders?|director(y|ies)|disks?|dis[ck] space`},
		{"messages", `messag\w*|e ?mail\w*|mails?|mailing|sms|notif\w*|chats?|slack|telegram|whatsapp|tweet\w*|newsletters?|posts? (to|on|in)`},
		{"money", `money|pay(s|ing|ments?|outs?|roll|pal)?|paid|purchas\w*|buy(s|ing)?|charg(e|es|ed|ing)|refund\w*|bank\w*|invoic\w*|billing|bills|spend\w*|donat\w*|credit cards?|wallets?|orders? (goods|from)`},
		{"network", `networks?|internet|https?|urls?|web\w*|apis?|download\w*|upload\w*|sockets?|dns|online|remote (hosts?|servers?)`},
		{"production", `production|prod|deploy\w*|roll ?outs?|live (systems?|sites?|databases?|environments?|servers?)`},
	} {
		out = append(out, effect{e[0], regexp.MustCompile(`(^|[^\pL\pN])(` + e[1] + `)($|[^\pL\pN])`)})
	}
	return out
})

// Effects returns the side effects of a record for rules: each as it is written, then the known effects that
// these texts name in other words. So a text never counts for less than the known word.
func Effects(declared []string) []string {
	out := slices.Clone(declared)
	for _, e := range knownEffects() {
		if !slices.Contains(out, e.name) && slices.ContainsFunc(declared, func(s string) bool { return e.words.MatchString(plainText(s)) }) {
			out = append(out, e.name)
		}
	}
	return out
}

// Unpermitted returns the known side effects of a record that names no permissions, if the policies require
// permissions for them.
func (s Security) Unpermitted(effects, permissions []string) []string {
	if !s.RequirePermissions || len(permissions) > 0 {
		return nil
	}
	var out []string
	for _, e := range knownEffects() {
		if slices.Contains(Effects(effects), e.name) {
			out = append(out, e.name)
		}
	}
	return out
}
