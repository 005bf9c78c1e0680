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
		{"files", `files?|file ?systems?|folders?|director(y|ies)|disks?|dis[ck] space|documents?`},
		{"messages", `messag\w*|e ?mail\w*|mail(s|ed|ings?)?|sms|notif\w*|chats?|slack|telegram|whatsapp|tweet\w*|newsletters?|` +
			`post(s|ed|ing)? (to|on|in|an?|the|comments?|repl(y|ies))|comment(s|ed|ing)? on|(send(s|ing)?|sent) (an? |the )?texts?|text(s|ed|ing) (an?|the)`},
		{"money", `money|funds?|cash|(re|pre|over)?(pay(s|ing|ments?|able|outs?|roll|pal)?|paid)|purchas\w*|buy(s|ing)?|bought|sell(s|ing)?|sold|(sur)?charg(e|es|ed|ing)|` +
			`debit\w*|refund\w*|reimburs\w*|bank\w*|loans?|invoic\w*|bill(s|ed|ing)?|spend\w*|spent|donat\w*|subscri(b\w*|ptions?)|credit cards?|wallets?|` +
			`transfer(s|red|ring)? (an? |the )?(amounts?|balances?|credits?|dollars?|euros?)|book(s|ed|ing)? (an? |the )?(flights?|hotels?|rooms?|tickets?|trips?)|` +
			`orders|order(ed|ing)? (an?|the|goods|from|more|new|parts?|supplies|tickets?)|(plac|mak)(e|es|ing) (an? |the )?order`},
		{"network", `networks?|internet|https?|urls?|web\w*|apis?|fetch\w*|crawl\w*|download\w*|upload\w*|sockets?|dns|online|remote (hosts?|servers?)`},
		{"production", `production|prod|(re)?deploy\w*|roll ?outs?|roll(s|ed|ing) (\pL+ ){0,4}out|(go(es|ing)?|went|gone) live|(tak|put|bring)\w* (\pL+ ){0,4}live|` +
			`releas(e|es|ed|ing) (\pL+ ){0,4}(to|for) (\pL+ ){0,2}(customers?|users?|clients?|public)|live (systems?|sites?|databases?|environments?|servers?)`},
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
