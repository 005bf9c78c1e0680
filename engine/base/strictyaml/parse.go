package strictyaml

import (
	"bytes"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Doc is one parsed YAML document. Parse never returns nil; a document that could not be parsed
// has a null root.
type Doc struct {
	root    *yaml.Node
	lines   *lineIndex
	lookups lookups
}

// Parse parses one YAML document. startLine is the line of file on which src starts (1 for a
// separate file, more for front matter); all positions count from there. Decode the returned
// Doc only if the list has no errors; otherwise decoding yields only more diagnostics.
func Parse(file string, src []byte, startLine int, lim Limits) (*Doc, diag.List) {
	d := &Doc{root: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, lines: newLineIndex(file, nil, startLine)}
	var ds diag.List
	if len(src) > lim.Bytes {
		ds.Errorf(RuleSize, d.lines.offset(0), "split the file or move large content elsewhere",
			"the YAML has %d bytes, more than the %d allowed", len(src), lim.Bytes)
		return d, ds
	}
	d.lines = newLineIndex(file, src, startLine)
	if d.checkEncoding(src, &ds); ds.HasErrors() {
		return d, ds
	}
	root, ok := d.load(src, &ds)
	if !ok {
		return d, ds
	}
	c := checker{lim: lim, doc: d, diags: &ds}
	c.node(root, 1)
	c.aliases()
	if !c.fatal {
		d.root = root
	}
	return d, ds
}

// checkEncoding reports the first byte that prevents the file from being plain text.
//
//defence:yaml-encoding
func (d *Doc) checkEncoding(src []byte, ds *diag.List) {
	if bytes.HasPrefix(src, []byte("\uFEFF")) {
		ds.Errorf(RuleEncoding, d.lines.offset(0), "save the file as UTF-8 without a byte order mark",
			"the file starts with a byte order mark")
		return
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			ds.Errorf(RuleEncoding, d.lines.offset(i), "save the file as UTF-8", "byte 0x%02x is not valid UTF-8", src[i])
			return
		case !printable(r):
			ds.Errorf(RuleEncoding, d.lines.offset(i), "remove the character, or write it as an escape in double quotes",
				"control character U+%04X", r)
			return
		}
		i += size
	}
}

// printable follows production [1] of the YAML 1.2 specification, without the
// byte order mark.
func printable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < 0x20, r >= 0x7F && r < 0xA0:
		return false
	case r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return true
}

// Root returns the top-level value.
func (d *Doc) Root() Node { return Node{n: d.root, doc: d} }

// File returns the path that the document was parsed under.
func (d *Doc) File() string { return d.lines.file }
