package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

const (
	memoryFile = "archived"
	// maxMemory bounds the file, in bytes.
	maxMemory = 32 << 20
)

// memory caches facts about merged proposals, which do not change. The key is the hash of a proposal's file, with the value ""
// if it archives nothing, or that hash and a name, with the terms of the archived capability. The cache lies in the user's own
// folder, which a push does not reach. Without it the answers are the same and cost more.
type memory struct {
	store home.Store
	known map[string]string
	had   int
}

func remembered(cur workspace.Session) *memory {
	m := &memory{known: map[string]string{}}
	if dir, err := keys.Home(); err == nil {
		m.store = home.At(filepath.Join(dir, "index", cur.Genesis.String()))
		if data, err := m.store.Read(memoryFile, maxMemory); err == nil && json.Unmarshal(data, &m.known) != nil || m.known == nil {
			m.known = map[string]string{}
		}
	}
	m.had = len(m.known)
	return m
}

// save writes new entries, unless the user's folder has nothing of the workspace yet. Errors only cost time later.
func (m *memory) save() {
	if _, err := m.store.Stat("."); len(m.known) == m.had || err != nil {
		return
	}
	if data, err := json.Marshal(m.known); err == nil && len(data) <= maxMemory {
		_ = m.store.Cache(memoryFile, data)
	}
}

// terms are those of the name, description and headings of an archived capability; "" if history has no such merge.
func (m *memory) terms(ctx context.Context, cur workspace.Session, r Record) (string, error) {
	key := r.hash + " " + names.Fold(r.Name)
	if known, ok := m.known[key]; ok {
		return known, nil
	}
	old, ok, err := r.Open(ctx, cur)
	if err != nil || !ok {
		return "", err
	}
	c, _, err := capability.Load(old.Before, old.Path)
	if err != nil {
		return "", err //nolint:wrapcheck // Load names the file
	}
	m.known[key] = strings.Join(index.Terms(strings.Join([]string{c.Name, c.Description, index.Outline(c.Skill.Body)}, "\n")), " ")
	return m.known[key], nil
}

// recent is the number of newest archived capabilities that are always read, older the most that are read of the others.
const (
	recent = 100
	older  = 25
)

// fitting returns the newest records, and older ones that share words with a text; rare words count more.
func (m *memory) fitting(ctx context.Context, cur workspace.Session, all []Record, text string) ([]Record, error) {
	type fit struct {
		Record
		words []string
		score float64
	}
	var found []fit
	asked, often := map[string]bool{}, map[string]float64{}
	for _, t := range index.Terms(text) {
		asked[t] = true
	}
	for _, r := range all[recent:] {
		terms, err := m.terms(ctx, cur, r)
		if err != nil && !Damaged(err) {
			return nil, err
		}
		f := fit{Record: r}
		for _, t := range strings.Fields(terms) {
			if asked[t] {
				f.words = append(f.words, t)
				often[t]++
			}
		}
		if len(f.words) > 0 || err != nil { // opening it names what is damaged
			found = append(found, f)
		}
	}
	for i, f := range found {
		for _, t := range f.words {
			found[i].score += 1 / often[t]
		}
	}
	order.Stable(found, func(a, b fit) int { return cmp.Compare(b.score, a.score) })
	out := all[:recent:recent]
	for _, f := range found[:min(len(found), older)] {
		out = append(out, f.Record)
	}
	return out, nil
}
