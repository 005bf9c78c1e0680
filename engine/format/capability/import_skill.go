package capability

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// OriginalKey is the metadata key for the blob hash of an imported SKILL.md as found.
const OriginalKey = "assent-original"

// restSuffix marks metadata that holds the rest of a field that was too long.
const restSuffix = "-rest"

// skill rewrites SKILL.md if necessary, and names the capability.
func (im *importer) skill(f tree.Edit) {
	if f.Path != SkillFile {
		im.changed("renamed %s to %s", f.Path, SkillFile)
	}
	if f.Mode == tree.Symlink || f.Mode == tree.Submodule {
		im.skipWith(names.CheckModes(tree.Entry{Path: f.Path, Mode: f.Mode}))
		return
	}
	src, reasons := im.readable(f)
	if len(reasons) > 0 {
		im.skipWith(reasons)
		return
	}
	doc := frontMatter(f.Path, src)
	if doc == nil { // readable has just parsed it
		im.skip(diag.Pos{File: f.Path}, "write front matter", "the front matter cannot be read")
		return
	}
	edits := im.rewrites(doc.Root())
	if im.Skipped {
		return
	}
	if len(edits) > 0 || !bytes.Equal(src, f.Content) {
		if doc.Root().Get("metadata").Get(OriginalKey).Kind() == strictyaml.Absent {
			edits = append(edits, markup.KeyEdit{Key: "metadata", Sub: OriginalKey, Value: tree.BlobHash(f.Content).String()})
		}
	}
	out, found := markup.EditFrontMatter(f.Path, src, edits...)
	if found.HasErrors() {
		im.skipWith(found)
		return
	}
	if _, strict := ParseSkill(tree.Join(im.Name, SkillFile), out); strict.HasErrors() {
		im.skipWith(strict)
		return
	}
	mode := f.Mode
	if mode == tree.Executable {
		im.changed("%s is no longer executable", SkillFile)
		mode = tree.Regular
	}
	im.Edits = append(im.Edits, tree.Edit{Path: SkillFile, Mode: mode, Content: out})
}

func frontMatter(file string, src []byte) *strictyaml.Doc {
	_, doc, _ := splitSkill(file, src)
	return doc
}

// readable returns the file in a form that YAML can parse. It repairs what is
// unambiguous: a byte order mark, blank lines before the front matter, unquoted text with
// a colon.
func (im *importer) readable(f tree.Edit) ([]byte, diag.List) {
	src := f.Content
	if rest, had := bytes.CutPrefix(src, []byte("\uFEFF")); had {
		im.changed("removed the byte order mark")
		src = rest
	}
	if rest := bytes.TrimLeft(src, " \t\r\n"); len(rest) < len(src) && bytes.HasPrefix(rest, []byte("---")) {
		im.changed("removed blank space before the front matter")
		src = rest
	}
	_, doc, found := splitSkill(f.Path, src)
	if doc != nil {
		return src, nil
	}
	mended, keys := mend(src)
	if len(keys) == 0 {
		return nil, explain(src, found)
	}
	if _, doc, _ := splitSkill(f.Path, mended); doc == nil {
		return nil, explain(src, found)
	}
	im.changed("put quotes around %s, which YAML could not read", strings.Join(keys, ", "))
	return mended, nil
}

// explain replaces a syntax error by a better explanation if the cause is known.
func explain(src []byte, found diag.List) diag.List {
	front, _ := markup.SplitFrontMatter(src)
	if front.Present && bytes.Contains(front.Source, []byte("<<<<<<<")) {
		for i := range found {
			found[i].Message = "the front matter holds an unfinished merge (<<<<<<<): " + found[i].Message
			found[i].Fix = "decide which side of the merge is right and remove the markers"
		}
	}
	return found
}

// rewrites returns the edits of the front matter that the strict format requires.
func (im *importer) rewrites(root strictyaml.Node) []markup.KeyEdit {
	r := rewriter{im: im, root: root, meta: root.Get("metadata")}
	r.name()
	r.text("description", MaxDescription)
	if im.Skipped {
		return nil
	}
	r.text("license", 0)
	r.text("compatibility", MaxCompatibility)
	r.tools()
	r.metadata()
	r.extensions()
	return r.edits
}

type rewriter struct {
	im    *importer
	root  strictyaml.Node
	meta  strictyaml.Node
	edits []markup.KeyEdit
	used  []string // metadata keys that the edits set
}

func (r *rewriter) set(key string, value string) {
	r.edits = append(r.edits, markup.KeyEdit{Key: key, Value: value})
}

// keep stores value under metadata, as key or as a free name derived from it.
func (r *rewriter) keep(key, value string) string {
	name := key
	for r.meta.Get(name).Kind() != strictyaml.Absent || slices.Contains(r.used, name) {
		if text, _ := r.meta.Get(name).Text(); text == value && !slices.Contains(r.used, name) {
			return name
		}
		name = "skill-" + name
	}
	r.used = append(r.used, name)
	r.edits = append(r.edits, markup.KeyEdit{Key: "metadata", Sub: name, Value: value})
	return name
}

func (r *rewriter) name() {
	declared := strings.TrimSpace(asText(r.root.Get("name")))
	switch {
	case names.IsName(declared):
		r.im.Name = declared
	case names.IsName(r.im.folder):
		r.im.Name = r.im.folder
	case declared != "":
		r.im.Name = names.Suggest(declared)
	default:
		r.im.Name = names.Suggest(r.im.folder)
	}
	switch {
	case declared == "":
		r.im.changed("added the name %s", r.im.Name)
	case declared != r.im.Name:
		r.im.changed("renamed %q to %s", clip(declared), r.im.Name)
	case !isPlainText(r.root.Get("name")):
		r.im.changed("wrote the name as text")
	default:
		return
	}
	r.set("name", r.im.Name)
}

// isPlainText reports whether the strict reader accepts n as text.
func isPlainText(n strictyaml.Node) bool {
	var doubts diag.List
	var text string
	n.Decode(&text, &doubts)
	return n.Kind() == strictyaml.Scalar && len(doubts) == 0
}

// text makes a field text of at most limit characters (0: any). The rest goes under
// metadata.
func (r *rewriter) text(key string, limit int) {
	node := r.root.Get(key)
	text := asText(node)
	if strings.TrimSpace(text) == "" {
		switch {
		case key == "description":
			r.im.skip(r.root.Pos(), "add description: with what the skill does and when to use it", "the skill has no description")
		case node.Kind() != strictyaml.Absent && !isPlainText(node):
			r.edits = append(r.edits, markup.KeyEdit{Key: key, Remove: true})
			r.im.changed("removed the empty %s", key)
		}
		return
	}
	rest := ""
	if limit > 0 && utf8.RuneCountInString(text) > limit {
		text, rest = splitAt(text, limit)
	}
	switch {
	case rest != "":
		r.set(key, text)
		kept := r.keep(key+restSuffix, rest)
		r.im.changed("cut %s to %d characters; the rest is metadata %s", key, limit, kept)
	case !isPlainText(node):
		r.set(key, text)
		r.im.changed("wrote %s as text", key)
	}
}

// splitAt cuts text after at most limit characters, if possible at a space in the second
// half. Both parts joined are the text.
func splitAt(text string, limit int) (head, rest string) {
	runes := []rune(text)
	cut := limit
	for i := limit; i > limit/2; i-- {
		if runes[i] == ' ' || runes[i] == '\n' {
			cut = i
			break
		}
	}
	return string(runes[:cut]), string(runes[cut:])
}

func (r *rewriter) tools() {
	const key = "allowed-tools"
	node := r.root.Get(key)
	if node.Kind() == strictyaml.Absent || isPlainText(node) {
		return
	}
	if text := asList(node); text != "" {
		r.set(key, text)
		r.im.changed("wrote %s as one text", key)
		return
	}
	r.edits = append(r.edits, markup.KeyEdit{Key: key, Remove: true})
	r.im.changed("removed the empty %s", key)
}

// metadata makes every value a string.
func (r *rewriter) metadata() {
	switch r.meta.Kind() {
	case strictyaml.Absent:
		return
	case strictyaml.Mapping:
	default:
		text := asText(r.meta)
		r.edits = append(r.edits, markup.KeyEdit{Key: "metadata", Remove: true})
		r.meta = strictyaml.Node{}
		if text != "" {
			r.keep("metadata", text)
		}
		r.im.changed("made metadata a mapping")
		return
	}
	var changed []string
	for i := range r.meta.Len() {
		key, value := r.meta.Entry(i)
		if isPlainText(value) {
			continue
		}
		changed = append(changed, clip(key.Key()))
		r.edits = append(r.edits, markup.KeyEdit{Key: "metadata", Sub: key.Key(), Value: asText(value)})
	}
	if len(changed) > 0 {
		r.im.changed("wrote metadata %s as text", strings.Join(changed, ", "))
	}
}

// extensions moves other clients' keys under metadata.
func (r *rewriter) extensions() {
	for i := range r.root.Len() {
		node, value := r.root.Entry(i)
		key := node.Key()
		if slices.Contains(SkillKeys(), key) {
			continue
		}
		kept := r.keep(key, asText(value))
		r.edits = append(r.edits, markup.KeyEdit{Key: key, Remove: true})
		r.im.changed("moved %q to metadata %q", clip(key), clip(kept))
	}
}
