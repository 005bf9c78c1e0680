package scan

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	goldtext "github.com/yuin/goldmark/text"

	"github.com/assent-dev/assent/engine/base/tree"
)

// layered returns the texts that BenchmarkLayers reads: those below the folder that
// ASSENT_BENCH_SCAN names, else the ordinary text.
func layered(b *testing.B) []File {
	root := os.Getenv("ASSENT_BENCH_SCAN")
	if root == "" {
		return one("skills/a/SKILL.md", string(ordinary()))
	}
	var files []File
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		if err == nil && utf8.Valid(content) && len(content) <= DefaultMaxFile {
			files = append(files, File{Path: "skills/a/" + filepath.Base(name), Mode: tree.Regular, Content: content})
		}
		return err
	})
	if err != nil || len(files) == 0 {
		b.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// BenchmarkLayers measures each part of a scan on the same texts, beside one pass of
// the literal matcher (literals) and a parser of Markdown that nothing here uses.
// Compare cpu-ns/op, the time of the processor: others may use it, too.
func BenchmarkLayers(b *testing.B) {
	files, m := layered(b), engine()
	for _, layer := range []struct {
		name string
		do   func(f File, text string)
	}{
		{"literals", func(_ File, text string) { m.literals.each(text, func(uint16, int) {}) }},
		{"document", func(f File, text string) { newDocument(f.Path, text, nil) }},
		{"survey", func(f File, text string) { m.surveys.Put(m.survey(newDocument(f.Path, text, nil))) }},
		{"expressions", func(f File, text string) { d := newDocument(f.Path, text, nil); d.machine = m; m.confirm(d) }},
		{"programs", func(f File, text string) { newDocument(f.Path, text, nil).readings() }},
		{"characters", func(f File, text string) { d := newDocument(f.Path, text, nil); d.specials(); d.blobs(); noiseOf(text) }},
		{"markdown", func(f File, _ string) { goldmark.DefaultParser().Parse(goldtext.NewReader(f.Content)) }},
		{"all", func(f File, _ string) { Files([]File{f}, Options{}) }},
	} {
		b.Run(layer.name, func(b *testing.B) {
			size := 0
			for _, f := range files {
				size += len(f.Content)
			}
			b.SetBytes(int64(size))
			began := spent(b)
			for b.Loop() {
				for _, f := range files {
					layer.do(f, string(f.Content))
				}
			}
			b.ReportMetric(float64(spent(b)-began)/float64(b.N), "cpu-ns/op")
		})
	}
}
