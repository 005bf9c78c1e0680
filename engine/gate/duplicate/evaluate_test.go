package duplicate_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/registry/index"
)

// TestEvaluate counts how often skills of people are taken for duplicates when each
// is proposed after all others that come before it in their folder.
// ASSENT_DUPLICATE_EVAL is label=FOLDER, joined like PATH; a file ending in .json
// maps names to descriptions. The figures stand in docs/checks.md.
func TestEvaluate(t *testing.T) {
	sets := filepath.SplitList(os.Getenv("ASSENT_DUPLICATE_EVAL"))
	if len(sets) == 0 {
		t.Skip("ASSENT_DUPLICATE_EVAL names no folders to evaluate on")
	}
	for _, set := range sets {
		label, path, _ := strings.Cut(set, "=")
		var before []evaluated
		counts := map[duplicate.Degree]int{}
		for _, e := range readSet(t, path) {
			worst := duplicate.Different
			for _, o := range before {
				like := duplicate.Compare(e.sketch, o.sketch)
				if like.Degree > duplicate.Different && os.Getenv("ASSENT_DUPLICATE_LIST") != "" {
					t.Logf("%s %.2f: %s and %s", like.Degree, like.Share, e.where, o.where)
				}
				worst = max(worst, like.Degree)
			}
			counts[worst]++
			before = append(before, e)
		}
		t.Logf("%s, %d: %v", label, len(before), counts)
	}
}

type evaluated struct {
	where  string
	sketch duplicate.Sketch
}

func readSet(t *testing.T, path string) []evaluated {
	t.Helper()
	var out []evaluated
	if strings.HasSuffix(path, ".json") {
		data, err := os.ReadFile(path)
		ok(t, err)
		var tools map[string]string
		ok(t, json.Unmarshal(data, &tools))
		for name, description := range tools {
			out = append(out, evaluated{name, duplicate.Of(capability.Capability{
				Folder: capability.Folder{Name: name}, Description: description,
			})})
		}
		return out
	}
	ok(t, filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != "SKILL.md" {
			return err
		}
		dir := filepath.Dir(file)
		var edits []tree.Edit
		ok(t, filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(file)
			inside, _ := filepath.Rel(dir, file)
			edits = append(edits, tree.Edit{Path: "skills/" + filepath.Base(dir) + "/" + filepath.ToSlash(inside), Content: data})
			return err
		}))
		out = append(out, evaluated{dir, load(t, tree.NewMap(edits...), "skills/"+filepath.Base(dir))})
		return nil
	}))
	return out
}

func load(t *testing.T, v tree.View, dir string) duplicate.Sketch {
	t.Helper()
	c, _, err := capability.Load(v, dir)
	ok(t, err)
	s := duplicate.Of(c)
	ok(t, s.Beside(v, dir))
	return s
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The generated capabilities of the benchmarks are about different things, whatever their
// number. Each new one is compared with those that the index finds for it.
func TestGeneratedAreDifferent(t *testing.T) {
	const have, more = 2000, 200
	o := generate.Options{Seed: 1, N: have + more}
	var edits []tree.Edit
	for i := range have + more {
		edits = append(edits, o.Capability(i)...)
	}
	all := tree.NewMap(edits...)
	data, err := index.Build(all, tree.Hash{1}, 2)
	ok(t, err)
	segment, err := index.OpenSegment(strings.NewReader(string(data)), int64(len(data)))
	ok(t, err)
	x, err := index.New(segment)
	ok(t, err)
	chance := 0
	for i := have; i < have+more; i++ {
		dir := generate.Path(i)
		c, _, err := capability.Load(all, dir)
		ok(t, err)
		found, err := x.Find(index.Query{Words: c.Name + "\n" + c.Description + "\n" + index.Outline(c.Skill.Body), Limit: 9, Rarest: 16})
		ok(t, err)
		if !slices.ContainsFunc(found, func(m index.Match) bool { return m.Path == dir }) {
			t.Errorf("%s is not found by its own words", dir)
		}
		mine := load(t, all, dir)
		for _, f := range found {
			if f.Path == dir {
				continue
			}
			if like := duplicate.Compare(mine, load(t, all, f.Path)); like.Degree != duplicate.Different {
				t.Logf("%s and %s are %s, %.2f", dir, f.Path, like.Degree, like.Share)
				chance++
			}
		}
	}
	// Of 1 600 pairs that the search thinks the most similar, few differ in one word by chance.
	if chance > 2 {
		t.Errorf("%d pairs of different capabilities look alike", chance)
	}
}
