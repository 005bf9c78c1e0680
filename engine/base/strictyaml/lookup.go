package strictyaml

import (
	"sync"

	"gopkg.in/yaml.v3"
)

// lookups remembers where the keys of mappings are. Documents are read by several goroutines.
type lookups struct {
	mu sync.Mutex
	of map[*yaml.Node]map[string]int
}

// entry returns the index of a key's first entry in a mapping, -1 without one.
func (d *Doc) entry(mapping *yaml.Node, key string) int {
	d.lookups.mu.Lock()
	defer d.lookups.mu.Unlock()
	known, read := d.lookups.of[mapping]
	if !read {
		known = make(map[string]int, len(mapping.Content)/2)
		for i := len(mapping.Content)/2 - 1; i >= 0; i-- {
			known[Node{mapping.Content[2*i], d}.Key()] = i
		}
		if d.lookups.of == nil {
			d.lookups.of = map[*yaml.Node]map[string]int{}
		}
		d.lookups.of[mapping] = known
	}
	if i, found := known[key]; found {
		return i
	}
	return -1
}
