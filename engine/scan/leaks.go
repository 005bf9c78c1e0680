package scan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// secretsOnly is the table of the layer Secrets, for contents that come and go.
//
//nolint:gochecknoglobals // a constant that is too dear to build at start.
var secretsOnly = sync.OnceValue(func() *machine {
	return newMachine(slices.DeleteFunc(rules().table(), func(r rule) bool { return r.Layer != Secrets && r.ID != ruleTooDense }))
})

// Leaks returns the secrets that are in after and not in before, two contents of one
// path: the secrets that a commit of a branch added, even if a later commit removed
// them. It finds none in content that cannot be read as text.
func Leaks(path string, before, after []byte) []Leak {
	known := map[string]bool{}
	for _, l := range leaks(path, before) {
		known[l.Key] = true
	}
	return slices.DeleteFunc(leaks(path, after), func(l Leak) bool { return known[l.Key] })
}

// Leak is a secret in a text. Its evidence shows a few characters, which many secrets
// share; Key tells it from all others, and does not show it.
type Leak struct {
	diag.Diagnostic
	Key string
}

func leaks(path string, content []byte) []Leak {
	text, _ := readable(File{Path: path, Mode: tree.Regular, Content: content}, Options{MaxFile: maxLeaky})
	if text == "" {
		return nil
	}
	d := newDocument(path, text, nil)
	var out []Leak
	for _, f := range secretsOnly().scan(d) {
		if f.rule.Layer == Secrets {
			sum := sha256.Sum256([]byte(f.rule.ID + "\x00" + d.text[f.start:f.end]))
			out = append(out, Leak{f.diagnostic(d), hex.EncodeToString(sum[:])})
		}
	}
	order.Stable(out, func(a, b Leak) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return out
}

// maxLeaky bounds one content, in bytes.
const maxLeaky = 8 << 20
