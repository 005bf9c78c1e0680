package capability

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// fieldLine is a top-level key with text on its line.
var fieldLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.-]*):[ \t]+(\S.*?)[ \t]*$`) })

// mend quotes top-level values that YAML cannot read, one key at a time, and returns the
// keys. It skips keys whose lines are valid YAML by themselves, or are not a single text.
func mend(src []byte) ([]byte, []string) {
	front, _ := markup.SplitFrontMatter(src)
	if !front.Present {
		return src, nil
	}
	var out bytes.Buffer
	var keys []string
	for _, block := range blocks(front.Source) {
		if _, found := strictyaml.Parse("", block, 1, strictyaml.DefaultLimits()); !found.HasErrors() {
			out.Write(block)
			continue
		}
		key, text, ok := quotable(string(block))
		if !ok {
			out.Write(block)
			continue
		}
		keys = append(keys, key)
		line, err := strictyaml.Marshal(map[string]string{key: text})
		if err != nil {
			return src, nil
		}
		out.WriteString(strings.ReplaceAll(string(line), "\n", front.EOL))
	}
	mended := bytes.Join([][]byte{src[:front.Offset], out.Bytes(), src[front.Offset+len(front.Source):]}, nil)
	return mended, keys
}

// blocks splits front matter into its top-level keys with the lines below them.
func blocks(source []byte) [][]byte {
	var out [][]byte
	for line := range bytes.Lines(source) {
		starts := fieldStart(line)
		if len(out) == 0 || starts {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], line...)
	}
	return out
}

func fieldStart(line []byte) bool {
	c := line[0] | 0x20
	return c >= 'a' && c <= 'z' && bytes.IndexByte(line, ':') > 0
}

// quotable returns a key and its text, continuation lines joined by spaces as in YAML.
// Lists, blocks and nested keys are not text.
func quotable(block string) (key, text string, ok bool) {
	lines := strings.Split(strings.TrimRight(block, "\r\n"), "\n")
	m := fieldLine().FindStringSubmatch(strings.TrimRight(lines[0], "\r"))
	if m == nil || strings.HasPrefix(m[2], "|") || strings.HasPrefix(m[2], ">") {
		return "", "", false
	}
	parts := []string{m[2]}
	for _, l := range lines[1:] {
		trimmed := strings.TrimSpace(l)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if l[0] != ' ' && l[0] != '\t' {
			return "", "", false
		}
		parts = append(parts, trimmed)
	}
	return m[1], strings.Join(parts, " "), true
}
