package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// skills judges by real skills. The last sentence of a description is taken out and asked for.
func skills(ctx context.Context, dirs []string, sealed bool) ([]figure, error) {
	var edits []tree.Edit
	var queries []query
	seen := map[string]bool{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() != capability.SkillFile {
				return cmpErr(err, ctx.Err())
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name := names.Suggest(filepath.Base(filepath.Dir(path)))
			at := "skills/" + name
			c, _, err := capability.Glance(tree.MapOf(map[string]string{at + "/SKILL.md": string(data)}), capability.FolderOf(at))
			if err != nil || seen[name] || c.Description == "" {
				return err
			}
			seen[name] = true
			told := c.Description
			if head, last, ok := cutLast(c.Description); ok {
				told = head
				queries = append(queries, query{last, []string{name}})
			}
			s := skill(name, told)
			s.Content = append(s.Content, c.Skill.Body...)
			edits = append(edits, s)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read skills: %w", err)
		}
	}
	x, err := indexed(tree.NewMap(edits...))
	if err != nil {
		return nil, err
	}
	r, err := ask(x, part(queries, sealed))
	if err != nil {
		return nil, err
	}
	return r.figures(fmt.Sprintf("a sentence of the description of one of %d skills, taken out", len(edits)), nil), nil
}

func cmpErr(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// cutLast parts a description before its last sentence; ok is false where it has one sentence,
// or the last one is short.
func cutLast(text string) (head, last string, ok bool) {
	text = strings.TrimRight(strings.TrimSpace(text), ".")
	at := strings.LastIndex(text, ". ")
	if at < 0 || len(strings.Fields(text[at:])) < 6 {
		return "", "", false
	}
	return text[:at+1], text[at+2:], true
}
