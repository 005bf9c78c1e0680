package scan

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// ordinary returns a text of the kind and length that skills have.
func ordinary() []byte {
	page := "# Working with tables\n\nRead the header first; then choose the columns that the user named. Quote fields that hold a comma.\n\n" +
		"```python\nimport csv\nwith open(path) as f:\n    rows = list(csv.DictReader(f))\nprint(len(rows))\n```\n\n" +
		"- Keep the order of the rows.\n- Never guess a delimiter: see https://docs.python.org/3/library/csv.html\n\n"
	return []byte(strings.Repeat(page, 64))
}

// hostile are single lines of one mebibyte made to be slow.
func hostile() map[string]string {
	lines := map[string]string{}
	for name, piece := range map[string]string{
		"literals":   "curl base64 exec ignore send download password every ",
		"one":        "curl ",
		"almost":     "ignore all of the your these ",
		"base64":     "QUFBQUFBQUFBQUFBQUFBQUFBQUFB",
		"brackets":   "eval((((((",
		"comments":   "<!--",
		"invisible":  "\u200b",
		"quotes":     "\"'`",
		"paths":      "a/b/c/d/e/f-g_h.i ",
		"urls":       "https://a.b/ ",
		"blank":      " ",
		"assignment": "\na=b64decode(x)\nexec(y)",
		"duty":       "before every task ",
		"pipes":      "env | base64 | ",
	} {
		lines[name] = strings.Repeat(piece, (1<<20)/len(piece))
	}
	return lines
}

// BenchmarkRead is the floor below that of BenchmarkLayers: looking at each byte.
func BenchmarkRead(b *testing.B) {
	text := ordinary()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		bytes.Count(text, []byte{0})
	}
}

// BenchmarkPatterns is the plain way: each pattern over the whole text.
func BenchmarkPatterns(b *testing.B) {
	text := string(ordinary())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, p := range engine().flat {
			p.re.compile().FindAllStringSubmatchIndex(text, -1)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, line := range hostile() {
		for _, file := range []string{"SKILL.md", "scripts/x.py"} {
			b.Run(name+"/"+file, func(b *testing.B) {
				files := []File{{Path: "skills/a/" + file, Mode: tree.Regular, Content: []byte(line)}}
				b.SetBytes(int64(len(line)))
				for b.Loop() {
					Files(files, Options{})
				}
			})
		}
	}
}
