package gaps

import (
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
)

// named finds an address, or a name before "API", in a sentence.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bhttps?://[\w.~:@/%+\[\]-]+|\b(?:[A-Z][\w.&+-]*(?:['’]s)? ){1,3}API\b`)
})

// generic are words in capitals that name no interface.
var generic = sync.OnceValue(func() map[string]bool {
	return setOf(`the a an no any this that these those some each our your their my its rest restful graphql http https json xml web soap rpc grpc public official i we mcp server tool`)
})

// hint returns the interface that a sentence names outside of quotations, "" without one: an address without user, password
// and query, which may be secret, else a name such as "Stripe API".
func (s sentence) hint() (name string) {
	for _, m := range named().FindAllStringIndex(s.text, -1) {
		found := s.text[m[0]:m[1]]
		if s.masked[m[0]] == ' ' {
			continue
		}
		if scheme, rest, ok := strings.Cut(found, "://"); ok {
			host, path, _ := strings.Cut(rest, "/")
			return plain(strings.TrimRight(scheme+"://"+host[strings.LastIndexByte(host, '@')+1:]+"/"+path, "./:-"))
		}
		words := strings.Fields(strings.NewReplacer("'s ", " ", "’s ", " ").Replace(found))
		for len(words) > 1 && generic()[strings.ToLower(words[0])] {
			words = words[1:]
		}
		for len(words) > 1 && generic()[strings.ToLower(words[len(words)-2])] {
			words = append(words[:len(words)-2], "API")
		}
		if len(words) > 1 && name == "" {
			name = plain(strings.Join(words, " "))
		}
	}
	return name
}

// hinted is a gap in a sentence with the interface that it names. A skill or an agent has none.
func (g Gap) hinted(s sentence) Gap {
	if g.Type == capability.KindMCP || g.Type == capability.KindTool {
		g.APIHint = s.hint()
	}
	return g
}
