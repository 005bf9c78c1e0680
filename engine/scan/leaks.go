package scan

import (
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/tree"
)

// secretsOnly is the table of the layer Secrets, for contents that come and go.
//
//nolint:gochecknoglobals // a constant that is too dear to build at start.
var secretsOnly = sync.OnceValue(func() *machine {
	return newMachine(slices.DeleteFunc(table(), func(r rule) bool { return r.Layer != Secrets && r.ID != ruleTooDense }))
})

// Leaks returns the secrets that stand in after and not in before, two contents of
// one path: what a commit of a branch brought, whatever came later. What cannot be
// read as text has none that these rules could tell.
func Leaks(path string, before, after []byte) diag.List {
	known := map[string]bool{}
	for _, d := range leaks(path, before) {
		known[d.Rule+"\x00"+d.Evidence] = true
	}
	return slices.DeleteFunc(leaks(path, after), func(d diag.Diagnostic) bool { return known[d.Rule+"\x00"+d.Evidence] })
}

func leaks(path string, content []byte) diag.List {
	text, _ := readable(File{Path: path, Mode: tree.Regular, Content: content}, Options{MaxFile: maxLeaky})
	if text == "" {
		return nil
	}
	d := newDocument(path, text, nil)
	var out diag.List
	for _, f := range secretsOnly().scan(d) {
		if f.rule.Layer == Secrets {
			out.Add(f.diagnostic(d))
		}
	}
	out.Sort()
	return out
}

// maxLeaky bounds one content, in bytes.
const maxLeaky = 8 << 20
