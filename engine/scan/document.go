package scan

import (
	"path"
	"sort"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
)

// place is the kind of text at an offset; a pattern names the places in which it
// counts.
type place uint16

const (
	prose place = 1 << iota // Markdown or plain text outside fences
	plain                   // a fence without a language, or one of no language we know
	shell
	python
	script // JavaScript and TypeScript
	data   // JSON, YAML, TOML and the like
	hidden // an HTML comment

	code      = shell | python | script | plain
	spoken    = prose | plain | data | hidden
	anywhere  = code | spoken
	shellLike = shell | plain | prose | data | hidden // commands stand in all of these
)

// region is a stretch of one place.
type region struct {
	span
	place place
}

// lined is a text and where its lines begin.
type lined struct {
	text  string
	lines []int // offset of each line's first byte
}

func newLined(text string) lined {
	l := lined{text: text, lines: make([]int, 1, 2+len(text)/32)}
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return l
		}
		i += n + 1
		l.lines = append(l.lines, i)
	}
}

// layout is a text divided into places.
type layout struct {
	lined
	regions []region
	// front is where the front matter ends, 0 without one.
	front int
	// whole says that the file is of one language, not a text with fences.
	whole bool
}

func newLayout(name, text string) layout {
	l := layout{lined: newLined(text)}
	if whole := placeOfFile(name, text); whole != prose {
		l.whole = true
		l.regions = []region{{span{0, len(text)}, whole}}
		return l
	}
	if strings.HasPrefix(text, "---\n") || strings.HasPrefix(text, "---\r\n") {
		l.front = strings.Index(text, "\n---") + 1
	}
	l.regions = l.markdownRegions()
	return l
}

// document is a text file with the facts that the rules learn about it on the way.
type document struct {
	wording
	path string
	// declared is nil when nothing was declared to compare with.
	declared *Declared
	depth    int // how many encodings deep
	// machine is the machine that scans d, for judges that look behind an encoding.
	machine *machine
	// guards caches aboutAttacks: 0 is not yet known, 1 is no, 2 is yes.
	guards uint8
	// undressed counts how often a judge looked behind a disguise.
	undressed int
	// read caches the result of readings.
	read   *[]reading
	budget int // bytes that expressions may see beyond half of text
	// programs is the number of bytes of programs that may still be read; unread
	// says that there were more.
	programs int
	unread   bool

	// beside, unless nil, reports whether a file or folder that is judged along with d
	// has that name, its extension left out.
	beside func(name string) bool
	// plain, unless nil, is the plain form of a file that text is.
	plain *plaintext.Text

	specials func() []int32 // offsets of bytes that are not plain ASCII text
	blobs    func() []blob  // encoded stretches
}

// newDocument divides text, which is valid UTF-8.
func newDocument(name, text string, declared *Declared) *document {
	d := &document{wording: wording{layout: newLayout(name, text)}, path: name, declared: declared, budget: confirmBudget, programs: mostPrograms}
	d.specials = sync.OnceValue(func() []int32 { return specialsOf(text) })
	d.blobs = sync.OnceValue(func() []blob { return blobsOf(text) })
	return d
}

// placeOfFile tells a whole file's language by its name, then by its shebang.
func placeOfFile(name, text string) place {
	if p := languagePlace(strings.TrimPrefix(path.Ext(strings.ToLower(name)), ".")); p != 0 {
		return p
	}
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		switch {
		case strings.Contains(first, "python"):
			return python
		case strings.Contains(first, "node"), strings.Contains(first, "deno"), strings.Contains(first, "bun"):
			return script
		default:
			return shell
		}
	}
	if strings.HasSuffix(strings.ToLower(name), "makefile") || strings.HasSuffix(strings.ToLower(name), "dockerfile") {
		return shell
	}
	return prose
}

// languagePlace maps a file extension or a fence's info word; 0 is unknown.
func languagePlace(word string) place {
	switch word {
	case "py", "python", "python3", "pyw", "ipython":
		return python
	case "sh", "bash", "zsh", "shell", "console", "shell-session", "terminal", "ps1", "powershell", "pwsh",
		"psm1", "bat", "cmd", "fish", "dockerfile", "makefile", "mk":
		return shell
	case "js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts", "javascript", "typescript", "node":
		return script
	case "json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "csv", "xml", "plist", "env", "conf", "tf", "hcl", "terraform":
		return data
	case "rb", "ruby", "gemspec", "rake", "pl", "pm", "perl", "php", "phtml", "lua", "go", "rs", "java", "c", "cpp", "swift", "star", "sql", "r",
		"cs", "csx", "csharp", "kt", "kts", "kotlin", "scala", "groovy", "gradle", "dart", "nim", "zig", "ex", "exs", "vbs", "applescript", "scpt", "m", "mm", "hs", "jl", "tcl":
		return plain
	}
	return 0
}

// regionOf returns the region that holds offset; behind the last one, all of the text as prose.
func (l *layout) regionOf(offset int) region {
	i := sort.Search(len(l.regions), func(i int) bool { return l.regions[i].end > offset })
	if i == len(l.regions) {
		return region{span{0, len(l.text)}, prose}
	}
	return l.regions[i]
}

// placeOf returns the place of offset.
func (l *layout) placeOf(offset int) place { return l.regionOf(offset).place }

// lineIndex returns the zero-based line of offset.
func (l *lined) lineIndex(offset int) int {
	return sort.Search(len(l.lines), func(i int) bool { return l.lines[i] > offset }) - 1
}

func (d *document) pos(offset int) diag.Pos {
	line := d.lineIndex(offset)
	column := offset - d.lines[line]
	if d.plain != nil {
		line, column = d.plain.Place(offset)
	}
	return diag.Pos{File: d.path, Line: line + 1, Column: column + 1}
}

// lineSpan returns line i without its newline.
func (l *lined) lineSpan(i int) span {
	end := len(l.text)
	if i+1 < len(l.lines) {
		end = l.lines[i+1] - 1
	}
	return span{l.lines[i], end}
}

// lineAround returns the text of the line that holds offset, at most before
// bytes before and after bytes after it.
func (l *lined) lineAround(offset int) span {
	s := l.lineSpan(l.lineIndex(offset))
	return span{max(s.start, offset-before), min(s.end, offset+after)}
}

// neighbourhood returns the text that a pattern may see around offset, cut at line
// ends if any are near enough.
func (l *lined) neighbourhood(offset int) span {
	s := span{max(0, offset-before), min(len(l.text), offset+after)}
	if s.start > 0 {
		if i := strings.IndexByte(l.text[s.start:offset], '\n'); i >= 0 {
			s.start += i + 1
		}
	}
	if s.end < len(l.text) {
		if i := strings.LastIndexByte(l.text[offset:s.end], '\n'); i >= 0 {
			s.end = offset + i
		}
	}
	return s
}
