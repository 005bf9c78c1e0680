package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/assent-dev/assent/bench/fts5"
	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/registry/index"
)

func search(ctx context.Context, b *bench) ([]line, error) {
	x, err := b.indexed(ctx, b.largest)
	if err != nil {
		return nil, err
	}
	if err := x.buildAndKeep(); err != nil {
		return nil, err
	}
	opened, err := x.folder.Open(x.skills)
	if err != nil {
		return nil, err
	}
	peer, err := fts5.New(ctx, documents(x.Options()))
	if err != nil {
		return nil, err
	}
	defer peer.Close()
	var out []line
	for _, asked := range []string{words, "the file", "schedule"} {
		took, err := b.short.Medians(ctx,
			measure.Seconds(func() error {
				found, err := opened.Find(index.Query{Words: asked, Limit: 10})
				return some(asked, len(found), err)
			}),
			func() (float64, error) {
				s, found, err := peer.Find(asked)
				return s, some(asked, found, err)
			})
		if err != nil {
			return nil, err
		}
		out = append(out, line{
			What: fmt.Sprintf("“%s”, %s", asked, capabilities(b.largest)), Peer: "SQLite FTS5, in memory, the same fields",
			Unit: inSeconds, Ours: took[0], Theirs: took[1], Goal: 0.01,
		})
	}
	return out, nil
}

func some(asked string, found int, err error) error {
	if err == nil && found == 0 {
		err = fmt.Errorf("nothing fits %q", asked)
	}
	return err
}

// documents are the fields that our own index has: name, tags, description, headings
// and the first paragraph.
func documents(o generate.Options) iter.Seq2[fts5.Document, error] {
	return func(yield func(fts5.Document, error) bool) {
		for i := range o.N {
			front, body, _ := strings.Cut(strings.TrimPrefix(string(o.Capability(i)[0].Content), "---\n"), "\n---\n")
			var text strings.Builder
			for l := range strings.Lines(body) {
				if strings.HasPrefix(l, "#") || text.Len() < 200 {
					text.WriteString(l)
				}
			}
			_, description, _ := strings.Cut(front, "description: ")
			if !yield(fts5.Document{generate.Name(i), "", description, text.String()}, nil) {
				return
			}
		}
	}
}
