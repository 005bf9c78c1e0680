package scan

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/diag"
)

// Rule ids of this layer.
const (
	ruleMode      = "file-mode"
	ruleSize      = "file-size"
	ruleBinary    = "file-binary"
	ruleArchive   = "file-archive"
	ruleProgram   = "file-program"
	ruleAsset     = "file-asset"
	ruleEncoding  = "file-encoding"
	ruleLongLine  = "line-length"
	rulePadding   = "padding"
	ruleTooDense  = "too-dense"
	maxLine       = 8000
	maxBlankRun   = 150
	maxBlankLines = 60
)

func readableRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{ruleMode, Readable, diag.Error, "this is not a regular file",
			"A symbolic link or submodule stands for content that is not in the tree that was reviewed.",
			"Replace it by the file that it stands for."}},
		{RuleInfo: RuleInfo{ruleSize, Readable, diag.Error, "the file is too large to be read as a whole",
			"What nobody can read, nobody can assent to.",
			"Split the file, or fetch large data at run time from a declared host."}},
		{RuleInfo: RuleInfo{ruleArchive, Readable, diag.Error, "an archive hides the files in it from review",
			"An archive's content is neither scanned nor shown in a diff; it is how payloads travel in skills.",
			"Commit the unpacked files instead."}},
		{RuleInfo: RuleInfo{ruleProgram, Readable, diag.Error, "compiled code cannot be reviewed",
			"A native program, bytecode or WebAssembly does what its bytes say and no reader can tell what that is.",
			"Commit the source; build or install the program outside the workspace and name it in requires.bins."}},
		{RuleInfo: RuleInfo{ruleBinary, Readable, diag.Error, "this is binary data of a kind that is not admitted",
			"Only text can be reviewed line by line.",
			"Store it as text, or as a PNG, JPEG, GIF, WebP, PDF or web font under assets/."}},
		{RuleInfo: RuleInfo{ruleAsset, Readable, diag.Warning, "a picture, document or font, not read by the scanner",
			"It is recognised by its first bytes only, and a model may read what a picture or document says.",
			"Keep such files under assets/ and look at them once."}},
		{RuleInfo: RuleInfo{ruleEncoding, Readable, diag.Error, "the file is not valid UTF-8",
			"Readers that guess different encodings see different texts.",
			"Convert the file to UTF-8."}},
		{RuleInfo: RuleInfo{ruleLongLine, Readable, diag.Warning, "a line is too long to be read",
			"Reviewers and diff views cut long lines, so that their end goes unseen.",
			"Break the line, or keep generated and minified code out of the workspace."}, check: longLines},
		{RuleInfo: RuleInfo{rulePadding, Readable, diag.Warning, "text stands behind a long run of blank space",
			"Text pushed out of the window is invisible to a reviewer and plain to a model.",
			"Remove the blank run."}, check: padding},
		{RuleInfo: RuleInfo{ruleTooDense, Readable, diag.Error, "the file holds too many suspicious words to examine all of them",
			"Ordinary files stay far below the scanner's budget; one above it was made to exhaust it.",
			"Split the file, or remove the repeated text."}},
	}
}

// readable returns f as text, or "" and why it is not read.
func readable(f File, opt Options) (string, diag.List) {
	limit := opt.MaxFile
	if limit == 0 {
		limit = DefaultMaxFile
	}
	if !f.Mode.IsFile() {
		return "", wholeFile(f, ruleMode, diag.Error, "mode "+f.Mode.String())
	}
	if kind := magic(f.Content); kind.rule != "" {
		return "", judgeBinary(f, kind)
	}
	if len(f.Content) > limit {
		return "", wholeFile(f, ruleSize, diag.Error, fmt.Sprintf("%d bytes, at most %d", len(f.Content), limit))
	}
	if at := bytes.IndexByte(f.Content, 0); at >= 0 {
		return "", wholeFile(f, ruleBinary, diag.Error, fmt.Sprintf("a NUL at byte %d", at))
	}
	if !utf8.Valid(f.Content) {
		return "", invalidUTF8(f)
	}
	return string(f.Content), nil
}

// judgeBinary admits small assets where assets belong and refuses the rest.
func judgeBinary(f File, kind format) diag.List {
	switch {
	case kind.rule != ruleAsset:
		return wholeFile(f, kind.rule, diag.Error, kind.name)
	case len(f.Content) > DefaultMaxAsset:
		return wholeFile(f, ruleSize, diag.Error, fmt.Sprintf("%d bytes, at most %d", len(f.Content), DefaultMaxAsset))
	case strings.Contains("/"+path.Dir(f.Path)+"/", "/assets/"):
		return wholeFile(f, ruleAsset, diag.Note, kind.name)
	default:
		return wholeFile(f, ruleAsset, diag.Warning, kind.name+" outside assets/")
	}
}

func invalidUTF8(f File) diag.List {
	rest, at := f.Content, 0
	for {
		r, n := utf8.DecodeRune(rest[at:])
		if r == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	found := wholeFile(f, ruleEncoding, diag.Error, fmt.Sprintf("byte %#02x at offset %d", rest[at], at))
	head := rest[:at]
	found[0].Line = bytes.Count(head, []byte("\n")) + 1
	found[0].Column = at - bytes.LastIndexByte(head, '\n')
	return found
}

func wholeFile(f File, id string, severity diag.Severity, evidence string) diag.List {
	for _, r := range readableRules() {
		if r.ID == id {
			return diag.List{{
				Rule: id, Severity: severity, Pos: diag.Pos{File: f.Path},
				Message: r.Summary, Why: r.Why, Fix: r.Fix, Evidence: evidence,
			}}
		}
	}
	return nil
}

func longLines(_ *machine, d *document) []match {
	for i := range d.lines {
		if s := d.lineSpan(i); s.end-s.start > maxLine && !inlineData(d.text[s.start:s.end]) {
			return []match{{start: s.start, end: s.start + maxEvidence, severity: diag.Warning,
				message: fmt.Sprintf("a line of %d bytes is too long to be read", s.end-s.start)}}
		}
	}
	return nil
}

// inlineData reports whether a line is long because it embeds a picture.
func inlineData(line string) bool {
	i := strings.Index(line, "data:image/")
	return i >= 0 && i < maxLine && !strings.ContainsAny(line[i:], " \t")
}

// padding finds text behind a long run of spaces or of blank lines.
func padding(_ *machine, d *document) []match {
	var found []match
	spaces, breaks, start := 0, 0, 0
	for i := range len(d.text) {
		switch c := d.text[i]; {
		case c == '\n':
			breaks++
			spaces = 0
		case c == ' ' || c == '\t':
			spaces++
		case c == '\r':
		default:
			if spaces > maxBlankRun || breaks > maxBlankLines {
				s := d.lineAround(i)
				found = append(found, match{start: i, end: max(i+1, s.end), severity: diag.Warning, confidence: 0.8,
					message: fmt.Sprintf("text stands behind %d blank characters", i-start)})
			}
			spaces, breaks, start = 0, 0, i+1
		}
	}
	return found
}
