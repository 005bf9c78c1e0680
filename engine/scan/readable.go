package scan

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
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
	if f.size() > int64(limit) {
		return "", wholeFile(f, ruleSize, diag.Error, fmt.Sprintf("%d bytes, at most %d", f.size(), limit))
	}
	if at := bytes.IndexByte(f.Content, 0); at >= 0 {
		return "", wholeFile(f, ruleBinary, diag.Error, fmt.Sprintf("a NUL at byte %d", at))
	}
	if !utf8.Valid(f.Content) {
		return "", invalidUTF8(f)
	}
	return string(f.Content), nil
}

// size is in bytes, of all of f.
func (f File) size() int64 { return max(f.Size, int64(len(f.Content))) }

// judgeBinary admits small assets where assets belong and refuses the rest.
func judgeBinary(f File, kind format) diag.List {
	switch {
	case kind.rule == ruleArchive:
		return wholeFile(f, kind.rule, diag.Warning, kind.name)
	case kind.rule != ruleAsset:
		return wholeFile(f, kind.rule, diag.Error, kind.name)
	case f.size() > DefaultMaxAsset:
		return wholeFile(f, ruleSize, diag.Warning, fmt.Sprintf("%d bytes, at most %d", f.size(), DefaultMaxAsset))
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
	r := engine().byID(id)
	return diag.List{{
		Rule: id, Severity: severity, Pos: diag.Pos{File: f.Path},
		Message: r.Summary, Why: r.Why, Fix: r.Fix, Evidence: evidence,
	}}
}
