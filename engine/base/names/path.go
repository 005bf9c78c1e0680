package names

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/assent-dev/assent/engine/base/diag"
)

const (
	// MaxComponent is the maximum length of a file or folder name, in bytes (all common file
	// systems allow 255).
	MaxComponent = 255
	// MaxPath is the maximum length of a path inside a workspace, in bytes: the rest of
	// Windows' 260 characters is for the checkout folder.
	MaxPath = 240
)

// pathCheck collects the diagnostics of one path.
type pathCheck struct {
	pos diag.Pos
	out diag.List
}

func (c *pathCheck) refuse(rule, fix, format string, args ...any) {
	for _, d := range c.out {
		if d.Rule == rule {
			return
		}
	}
	c.out.Errorf(rule, c.pos, fix, format, args...)
}

// CheckPath reports why path must not be in a workspace: at most one diagnostic per rule, none
// for a path that is safe on every system. The path is slash-separated, relative to the
// workspace's root.
func CheckPath(path string) diag.List {
	c := &pathCheck{pos: diag.Pos{File: printable(path)}}
	if path == "" {
		c.refuse(RuleEmpty, "name a file", "the path is empty")
		return c.out
	}
	if len(path) > MaxPath {
		c.refuse(RuleLength, "shorten it", "the path is %d bytes long, more than %d", len(path), MaxPath)
	}
	c.encoding(path)
	c.absolute(path)
	if path[0] == '~' {
		c.refuse(RuleEdge, "rename it", "the path starts with '~', which shells read as a home folder")
	}
	for name := range strings.SplitSeq(path, "/") {
		c.component(name)
	}
	return c.out
}

// IsPath reports whether CheckPath finds nothing.
func IsPath(path string) bool { return len(CheckPath(path)) == 0 }

func (c *pathCheck) encoding(path string) {
	if !utf8.ValidString(path) {
		c.refuse(RuleUTF8, "rename it in UTF-8", "the path is not valid UTF-8")
		return
	}
	if !norm.NFC.IsNormalString(path) {
		c.refuse(RuleNFC, "rename it to its composed form", "the path is not in Unicode normal form C")
	}
	lower := strings.ToLower(path)
	for _, code := range []string{"%2e", "%2f", "%5c", "%00", "%25"} {
		if strings.Contains(lower, code) {
			c.refuse(RuleEncoded, "write the character itself or leave it out", "the path holds the encoded character %s", code)
		}
	}
}

func (c *pathCheck) absolute(path string) {
	drive := len(path) >= 2 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
	switch {
	case drive:
		c.refuse(RuleAbsolute, "rename it", "the path begins with %q, which Windows reads as a drive", path[:2])
	case path[0] == '/' || path[0] == '\\':
		c.refuse(RuleAbsolute, "make it relative to the workspace", "the path is absolute")
	}
}

func (c *pathCheck) component(name string) {
	switch {
	case name == "" || name == ".":
		c.refuse(RuleUnclean, "write it without empty and '.' parts", "the path is not in its shortest form")
		return
	case isDots(name):
		c.refuse(RuleTraversal, "name the file below the workspace directly", "the path holds %s", show(name))
		return
	}
	if len(name) > MaxComponent {
		c.refuse(RuleLength, "shorten it", "a part of the path is %d bytes long, more than %d", len(name), MaxComponent)
	}
	if isDotGit(name) {
		c.refuse(RuleDotGit, "rename it", "%s is the name of Git's own folder on some system", show(name))
	}
	if isDevice(name) {
		c.refuse(RuleDevice, "rename it", "%s is a device on Windows", show(name))
	}
	if isShortName(name) {
		c.refuse(RuleShortName, "rename it", "%s has the form of a Windows short name", show(name))
	}
	c.edges(name)
	c.characters(name)
	if why := lookalike(name); why != "" {
		c.refuse(RuleLookalike, "write it in one script", "%s %s", show(name), why)
	}
}

func (c *pathCheck) edges(name string) {
	first, last := name[0], name[len(name)-1]
	switch {
	case first == '-':
		c.refuse(RuleEdge, "rename it", "%s starts with '-', which programs read as an option", show(name))
	case first == ' ':
		c.refuse(RuleEdge, "rename it", "%s starts with a space", show(name))
	case last == ' ', last == '.':
		c.refuse(RuleEdge, "rename it", "%s ends with a space or dot, which Windows drops", show(name))
	}
}

func (c *pathCheck) characters(name string) {
	for _, r := range name {
		switch {
		case r == utf8.RuneError: // invalid UTF-8, reported by RuleUTF8, or the replacement character itself, which is as bad
			c.refuse(RuleUTF8, "rename it in UTF-8", "%s holds an undecodable character", show(name))
		case unicode.IsControl(r):
			c.refuse(RuleControl, "rename it", "%s holds the control character U+%04X", show(name), r)
		case r == '\\':
			c.refuse(RuleBackslash, "separate folders by '/'", "%s holds a backslash", show(name))
		case strings.ContainsRune(`<>:"|?*`, r):
			c.refuse(RuleCharacter, "rename it", "%s holds %q, which Windows does not store", show(name), r)
		case r != ' ' && (isIgnorable(r) || !unicode.IsGraphic(r) || unicode.IsSpace(r)):
			c.refuse(RuleInvisible, "rename it", "%s holds the invisible character U+%04X", show(name), r)
		}
	}
}

// isDots reports "..", and longer runs of dots and spaces that some systems shorten to it.
func isDots(name string) bool {
	return strings.HasPrefix(foldText(name), "..") && strings.Trim(foldText(name), ". ") == ""
}

// show quotes and shortens an untrusted name for a message.
func show(name string) string {
	const limit = 80
	if len(name) > limit {
		name = name[:limit] + "…"
	}
	return strconv.Quote(name)
}

// printable returns path as it can stand in a diagnostic's position.
//
//defence:paths-are-shown
func printable(path string) string {
	quoted := show(path)
	quoted = quoted[1 : len(quoted)-1]
	if quoted == strings.ReplaceAll(path, `"`, `\"`) {
		return path
	}
	return quoted
}
