package markup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// KeyEdit changes one key of front matter. It does exactly one of three things: remove, rename,
// or set a value.
type KeyEdit struct {
	// Key is a top-level key.
	Key string
	// Sub, if not empty, is a key inside the mapping of Key, which is created if missing.
	Sub string
	// Value is the new value: anything that strictyaml.Marshal encodes.
	Value any
	// Remove deletes the key; a missing key is no error.
	Remove bool
	// Rename, if not empty, is the key's new name. Its value stays byte for byte. The key must
	// exist and the new one must not.
	Rename string
}

// EditFrontMatter applies edits in order. It rewrites only the lines of the edited keys;
// comments, other keys and the body keep every byte. It adds front matter to a file without.
// The result is parsed again, and an edit with an unintended result is refused. On any error
// the source is returned unchanged.
func EditFrontMatter(file string, src []byte, edits ...KeyEdit) ([]byte, diag.List) {
	var all diag.List
	out := src
	for _, e := range edits {
		next, ds := editKey(file, out, e)
		all.Add(ds...)
		if all.HasErrors() {
			return src, all
		}
		out = next
	}
	return out, all
}

func editKey(file string, src []byte, e KeyEdit) ([]byte, diag.List) {
	fm, ds := SplitFrontMatter(src)
	for i := range ds {
		ds[i].File = file
	}
	if ds.HasErrors() {
		return src, ds
	}
	if !fm.Present {
		if e.Remove {
			return src, nil
		}
		fence := "---" + fm.EOL
		start := bodyStart(src)
		src = slices.Concat(src[:start], []byte(fence+fence), src[start:])
		fm, _ = SplitFrontMatter(src)
	}
	k := keyEditor{file: file, src: src, fm: fm, edit: e}
	if k.parse(); k.ds.HasErrors() {
		return src, k.ds
	}
	lines := k.apply()
	if k.ds.HasErrors() {
		return src, k.ds
	}
	out := slices.Concat(src[:fm.Offset], lines, src[fm.BodyOffset-closingLen(fm):])
	k.verify(out)
	return out, k.ds
}

// closingLen returns the length of the closing delimiter's line.
func closingLen(fm FrontMatter) int {
	return fm.BodyOffset - fm.Offset - len(fm.Source)
}

type keyEditor struct {
	file string
	src  []byte
	fm   FrontMatter
	edit KeyEdit
	root strictyaml.Node
	ds   diag.List
}

func (k *keyEditor) refuse(line int, format string, args ...any) {
	k.ds.Errorf(RuleFrontEdit, diag.Pos{File: k.file, Line: line}, "write one key on each line, without braces around them", format, args...)
}

// parse reads the front matter; empty front matter has no root.
func (k *keyEditor) parse() {
	if len(bytes.TrimSpace(stripComments(k.fm.Source))) == 0 {
		return
	}
	doc, ds := strictyaml.Parse(k.file, k.fm.Source, k.fm.StartLine, strictyaml.DefaultLimits())
	if k.ds.Add(ds...); ds.HasErrors() {
		return
	}
	k.root = doc.Root()
	if k.root.Kind() != strictyaml.Mapping {
		k.refuse(k.fm.StartLine, "the front matter is %s instead of keys and values", k.root.Kind())
		return
	}
	last := 0
	for i := range k.root.Len() {
		key, _ := k.root.Entry(i)
		if pos := key.Pos(); pos.Column != 1 || pos.Line <= last {
			k.refuse(pos.Line, "the key %q does not begin a line of its own", key.Key())
			return
		}
		last = key.Pos().Line
	}
}

func stripComments(src []byte) []byte {
	var out []byte
	for line := range bytes.Lines(src) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			out = append(out, line...)
		}
	}
	return out
}

// block returns the lines of a key in the front matter's source, without the blank lines and
// comments after them.
func (k *keyEditor) block(parent strictyaml.Node, name string, limit int) (span Span, value strictyaml.Node, ok bool) {
	for i := range parent.Len() {
		key, v := parent.Entry(i)
		if key.Key() != name {
			continue
		}
		start := k.lineOffset(key.Pos().Line)
		end := limit
		if i+1 < parent.Len() {
			next, _ := parent.Entry(i + 1)
			end = k.lineOffset(next.Pos().Line)
		}
		return Span{start, k.trimTail(start, end)}, v, true
	}
	return Span{}, strictyaml.Node{}, false
}

// lineOffset returns the start of a file's line within the source.
func (k *keyEditor) lineOffset(line int) int {
	at := 0
	for n := k.fm.StartLine; n < line && at < len(k.fm.Source); n++ {
		at = lineEnd(k.fm.Source, at)
	}
	return at
}

// trimTail removes blank lines and unindented comments from the end of a block.
func (k *keyEditor) trimTail(start, end int) int {
	src := k.fm.Source
	for end > lineEnd(src, start) {
		line := src[lineStart(src, end-1):end]
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			break
		}
		end -= len(line)
	}
	return end
}

func (k *keyEditor) apply() []byte {
	e, src := k.edit, k.fm.Source
	span, value, ok := k.block(k.root, e.Key, len(src))
	switch {
	case e.Sub != "" && e.Rename != "":
		k.refuse(k.fm.StartLine, "only a top-level key can be renamed, and %q lies in %q", e.Sub, e.Key)
		return nil
	case e.Sub != "" && ok:
		return k.applySub(span, value)
	case e.Remove:
		return slices.Concat(src[:span.Start], src[span.End:])
	case e.Rename != "":
		return k.rename(span, ok)
	}
	v := e.Value
	if e.Sub != "" {
		v = map[string]any{e.Sub: e.Value}
	}
	text := k.lines(e.Key, v, 0)
	if !ok {
		return slices.Concat(k.terminated(src), text)
	}
	return slices.Concat(src[:span.Start], text, src[span.End:])
}

// terminated returns the source with a final line end.
func (k *keyEditor) terminated(src []byte) []byte {
	if len(src) > 0 && src[len(src)-1] != '\n' {
		return append(slices.Clone(src), k.fm.EOL...)
	}
	return src
}

// applySub edits a key inside the mapping in span. It rewrites a mapping in braces, and a value
// that is not a mapping.
func (k *keyEditor) applySub(span Span, value strictyaml.Node) []byte {
	e, src := k.edit, k.fm.Source
	if !k.blockStyle(value) {
		return k.rewrite(span, value)
	}
	first, _ := value.Entry(0)
	indent := first.Pos().Column - 1
	sub, _, ok := k.block(value, e.Sub, span.End)
	switch {
	case e.Remove && ok && value.Len() == 1:
		return slices.Concat(src[:span.Start], src[span.End:])
	case e.Remove:
		return slices.Concat(src[:sub.Start], src[sub.End:])
	case ok:
		return slices.Concat(src[:sub.Start], k.lines(e.Sub, e.Value, indent), src[sub.End:])
	default:
		return slices.Concat(src[:span.End], k.lines(e.Sub, e.Value, indent), src[span.End:])
	}
}

// blockStyle reports whether every entry starts a line at the same indentation.
func (k *keyEditor) blockStyle(value strictyaml.Node) bool {
	last := 0
	if value.Kind() != strictyaml.Mapping || value.Flow() {
		return false
	}
	for i := range value.Len() {
		key, _ := value.Entry(i)
		pos := key.Pos()
		line := k.fm.Source[k.lineOffset(pos.Line):]
		if pos.Line <= last || len(line) < pos.Column || len(bytes.Trim(line[:pos.Column-1], " ")) > 0 {
			return false
		}
		last = pos.Line
	}
	return last > 0
}

func (k *keyEditor) rewrite(span Span, value strictyaml.Node) []byte {
	src, e := k.fm.Source, k.edit
	m := map[string]any{}
	switch value.Kind() {
	case strictyaml.Mapping:
		value.Decode(&m, &k.ds)
	case strictyaml.Null:
	default:
		k.refuse(value.Pos().Line, "%q holds %s instead of keys and values", e.Key, value.Kind())
		return nil
	}
	m[e.Sub] = e.Value
	if e.Remove {
		delete(m, e.Sub)
	}
	if len(m) == 0 {
		return slices.Concat(src[:span.Start], src[span.End:])
	}
	return slices.Concat(src[:span.Start], k.lines(e.Key, m, 0), src[span.End:])
}

func (k *keyEditor) rename(span Span, ok bool) []byte {
	e, src := k.edit, k.fm.Source
	switch {
	case !ok:
		k.refuse(k.fm.StartLine, "there is no key %q to rename", e.Key)
		return nil
	case k.root.Get(e.Rename).Kind() != strictyaml.Absent:
		k.refuse(k.fm.StartLine, "there is a key %q already", e.Rename)
		return nil
	}
	rest := src[span.Start:]
	for _, form := range []string{e.Key, `"` + e.Key + `"`, "'" + e.Key + "'"} {
		if bytes.HasPrefix(rest, []byte(form)) {
			return slices.Concat(src[:span.Start], []byte(e.Rename), rest[len(form):])
		}
	}
	k.refuse(k.fm.StartLine, "the key %q is written with escapes", e.Key)
	return nil
}

// lines encodes one key with its value, indented, with the file's line ends.
func (k *keyEditor) lines(key string, value any, indent int) []byte {
	text, err := strictyaml.Marshal(map[string]any{key: value})
	if err != nil {
		k.refuse(k.fm.StartLine, "the value of %q cannot be written: %v", key, err)
		return nil
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", indent))
		}
		b.WriteString(strings.TrimSuffix(line, "\n") + k.fm.EOL)
	}
	return []byte(b.String())
}

// verify parses the result: the body must be unchanged, every other key must have its old
// value, and the edited key the intended one.
func (k *keyEditor) verify(out []byte) {
	fm, _ := SplitFrontMatter(out)
	after := keyEditor{file: k.file, src: out, fm: fm}
	after.parse()
	if k.ds.Add(after.ds...); k.ds.HasErrors() {
		return
	}
	if !bytes.Equal(out[fm.BodyOffset:], k.src[k.fm.BodyOffset:]) {
		k.refuse(k.fm.StartLine, "the edit of %q would change the body", k.edit.Key)
		return
	}
	for i := range k.root.Len() {
		key, before := k.root.Entry(i)
		if name := key.Key(); name != k.edit.Key && plain(before) != plain(after.root.Get(name)) {
			k.refuse(key.Pos().Line, "the edit of %q would change %q", k.edit.Key, name)
		}
	}
	k.verifyTarget(after.root)
}

func (k *keyEditor) verifyTarget(root strictyaml.Node) {
	e := k.edit
	name, at := e.Key, root.Get(e.Key)
	switch {
	case e.Rename != "":
		at = root.Get(e.Rename)
		if plain(at) == plain(k.root.Get(e.Key)) && root.Len() == k.root.Len() {
			return
		}
	case e.Sub != "":
		name, at = e.Key+"."+e.Sub, at.Get(e.Sub)
		fallthrough
	default:
		if e.Remove && at.Kind() == strictyaml.Absent {
			return
		}
		text, err := strictyaml.Marshal(e.Value)
		doc, _ := strictyaml.Parse("", text, 1, strictyaml.DefaultLimits())
		if !e.Remove && err == nil && plain(at) == plain(doc.Root()) {
			return
		}
	}
	k.refuse(k.fm.StartLine, "the edit of %q would not read back as intended", name)
}

// plain renders a value for comparison: scalars by their text and quoting class.
func plain(n strictyaml.Node) string {
	var ignored diag.List
	if n.Kind() == strictyaml.Scalar {
		text, quoted := n.Text()
		if !quoted {
			return fmt.Sprintf("%q as %T", text, n.Value(&ignored))
		}
		return fmt.Sprintf("%q as string", text)
	}
	return fmt.Sprintf("%s %#v", n.Kind(), n.Value(&ignored))
}
