package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/tools/linker"
)

// tools judges by descriptions of tools and questions of users.
func tools(dir string, sealed bool) ([]figure, error) {
	known := map[string]string{}
	if err := readJSON(filepath.Join(dir, "tools.json"), &known); err != nil {
		return nil, err
	}
	edits := make([]tree.Edit, 0, len(known))
	for _, name := range slices.Sorted(maps.Keys(known)) {
		edits = append(edits, skill(names.Suggest(name), known[name]))
	}
	x, err := indexed(tree.NewMap(edits...))
	if err != nil {
		return nil, err
	}
	single, err := readQueries(filepath.Join(dir, "queries.csv"))
	if err != nil {
		return nil, err
	}
	r, err := ask(x, part(single, sealed))
	if err != nil {
		return nil, err
	}
	out := r.figures("questions for one tool", map[int]float64{1: 50, 5: 70})
	var several []struct {
		Query string
		Tool  []string
	}
	if err := readJSON(filepath.Join(dir, "queries-multi.json"), &several); err != nil {
		return nil, err
	}
	var multi []query
	for _, s := range several {
		q := query{text: s.Query}
		for _, name := range s.Tool {
			q.right = append(q.right, names.Suggest(name))
		}
		multi = append(multi, q)
	}
	if r, err = ask(x, part(multi, sealed)); err != nil {
		return nil, err
	}
	out = append(out, r.figures("questions for several tools", nil)...)
	if r, err = askBy(part(multi, sealed), func(q index.Query) ([]index.Match, error) { return stepwise(x, q) }); err != nil {
		return nil, err
	}
	out = append(out, r.figures("questions for several tools, each step by itself", nil)...)
	told, err := gaps(x, part(single, sealed))
	if err != nil {
		return nil, err
	}
	after, err := learned(x, single, sealed)
	return slices.Concat(out, told, after), err
}

// gaps judges whether it is seen that nothing serves a question: once with the right tool and once
// without it.
func gaps(x *index.Index, queries []query) ([]figure, error) {
	var with, without int
	for _, q := range queries {
		for _, there := range []bool{true, false} {
			found, err := x.Find(index.Query{Words: q.text, Limit: 1, Admit: func(e index.Entry) bool { return there || e.Name != q.right[0] }})
			if err != nil {
				return nil, err
			}
			served := len(found) > 0 && found[0].Share >= linker.Enough
			switch {
			case there && served:
				with++
			case !there && !served:
				without++
			}
		}
	}
	return []figure{
		{"questions for one tool", "taken as served, with the tool", with, len(queries), 0},
		{"questions for one tool", "taken as served by nothing, without the tool", without, len(queries), 0},
	}, nil
}

// figures are those of one set, with the goals at some k.
func (r *ranks) figures(set string, goals map[int]float64) (out []figure) {
	for _, k := range []int{1, 5, 10} {
		hits, n := r.within(k)
		out = append(out, figure{set, fmt.Sprintf("right ones among the first %d", k), hits, n, goals[k]})
	}
	hits, n := r.all(10)
	return append(out, figure{set, fmt.Sprintf("all right ones among the first 10; nDCG@5 is %.2f", r.gain(5)), hits, n, 0})
}

// skill is a skill of a name and description, which may be anything.
func skill(name, description string) tree.Edit {
	told, _ := json.Marshal(description) // a string has one
	return tree.Edit{Path: "skills/" + name + "/SKILL.md", Content: fmt.Appendf(nil, "---\nname: %s\ndescription: %s\n---\n", name, told)}
}

func indexed(v tree.View) (*index.Index, error) {
	data, err := index.Build(v, tree.Hash{}, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	s, err := index.OpenSegment(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return index.New(s)
}

// asMany are the answers that are looked at.
const asMany = 10

func ask(x *index.Index, queries []query) (*ranks, error) { return askBy(queries, x.Find) }

func askBy(queries []query, find func(index.Query) ([]index.Match, error)) (*ranks, error) {
	var r ranks
	for _, q := range queries {
		found, err := find(index.Query{Words: q.text, Limit: asMany})
		if err != nil {
			return nil, err
		}
		answers := make([]string, len(found))
		for i, m := range found {
			answers[i] = m.Name
		}
		r.add(q, answers)
	}
	return &r, nil
}

// stepwise finds the answers to each step of a mission, and takes one of each in turn.
func stepwise(x *index.Index, q index.Query) (out []index.Match, err error) {
	steps, _ := link.Steps(q.Words)
	all := make([][]index.Match, len(steps))
	for i, step := range steps {
		if all[i], err = x.Find(index.Query{Words: step, Limit: q.Limit}); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	for place := range q.Limit {
		for _, found := range all {
			if place < len(found) && !known[found[place].Name] && len(out) < q.Limit {
				known[found[place].Name] = true
				out = append(out, found[place])
			}
		}
	}
	return out, nil
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

func readQueries(file string) ([]query, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("read %s: want rows of a query and a tool: %w", file, err)
	}
	var out []query
	for _, row := range rows[1:] {
		if len(row) == 2 {
			out = append(out, query{row[0], []string{names.Suggest(row[1])}})
		}
	}
	return out, nil
}
