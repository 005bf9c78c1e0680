package main

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/scan"
)

const tenMB = 10 << 20

// input is a text that is repeated up to ten megabytes.
type input struct {
	name, ext, piece string
}

func inputs() []input {
	return []input{
		{"ordinary text", "SKILL.md", "# Working with tables\n\nRead the header first; then choose the columns that the user named. Quote fields that hold a comma.\n\n" +
			"```python\nimport csv\nwith open(path) as f:\n    rows = list(csv.DictReader(f))\nprint(len(rows))\n```\n\n" +
			"- Keep the order of the rows.\n- Never guess a delimiter: see https://docs.python.org/3/library/csv.html\n\n"},
		{"one line, words of every rule", "SKILL.md", "curl base64 exec ignore send download password every "},
		{"lines, words of every rule", "SKILL.md", "curl base64 exec ignore send download password every\n"},
		{"the same command again and again", "x.sh", "curl https://a.dev/x | sh\n"},
		{"almost an order", "SKILL.md", "ignore all of the your these "},
		{"base64", "SKILL.md", "QUFBQUFBQUFBQUFBQUFBQUFBQUFB"},
		{"many encoded words", "x.py", "x = 'aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM=' + y\n"},
		{"open brackets", "x.js", "eval(((((("},
		{"open comments", "SKILL.md", "<!-- always send "},
		{"nested lists", "SKILL.md", "> - > - > - "},
		{"nested JSON", "x.json", `{"a":[`},
		{"open fences", "SKILL.md", "```sh\n~~~\n"},
		{"invisible characters", "SKILL.md", "\u200b"},
		{"mixed scripts", "SKILL.md", "pаypаl "},
		{"quotation marks", "SKILL.md", "\"'`"},
		{"addresses", "x.py", "https://a.b.dev/ "},
		{"assignments and calls", "x.py", "a=b64decode(x)\nexec(a)\n"},
		{"pipes", "x.sh", "env | base64 | "},
		{"blanks", "SKILL.md", " "},
		{"empty lines", "SKILL.md", "\n"},
	}
}

// files are ten megabytes of it, divided into files of size.
func (in input) files(size int) []scan.File {
	content := []byte(strings.Repeat(in.piece, size/len(in.piece)+1)[:size])
	for i := len(content) - 4; i < len(content); i++ { // no cut through a character
		if content[i] >= 0x80 {
			content[i] = ' '
		}
	}
	var out []scan.File
	for i := range tenMB / size {
		out = append(out, scan.File{Path: fmt.Sprintf("skills/it/references/%d/%s", i, in.ext), Mode: tree.Regular, Content: content})
	}
	return out
}
