package workspace

import (
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/registry/index"
)

// alike finds capabilities in force that may be duplicated; see validate.Input.
type alike func(capability.Capability) ([]capability.Folder, error)

// maxAlike is how many capabilities in force a new one is compared with: those that
// share the rarest words with it. A copy is the first of them.
const maxAlike = 8

// rarest is how many words are searched for.
const rarest = 16

// Alike searches the capabilities in force for possible duplicates of one, by the words of its
// name, description, headings and first paragraph.
func (s Session) Alike(c capability.Capability) ([]capability.Folder, error) {
	found, err := s.Capabilities.Find(index.Query{Words: c.Name + "\n" + c.Description + "\n" + index.Outline(c.Skill.Body), Limit: maxAlike + 1, Rarest: rarest})
	if err != nil {
		return nil, err
	}
	var out []capability.Folder
	for _, m := range found {
		if m.Path != c.Path && len(out) < maxAlike {
			out = append(out, m.Folder)
		}
	}
	return out, nil
}

// comparedIn returns the comparisons that a recorded report lists, so that judging a merge again
// searches nothing and finds the same. A record written by hand can leave out comparisons. That is
// harmless: it only admits a duplicate, and the record shows it.
func comparedIn(r validate.Report) alike {
	return func(c capability.Capability) ([]capability.Folder, error) {
		var out []capability.Folder
		for i, path := range r.Compared[c.Path] {
			if i == maxAlike {
				break
			}
			out = append(out, capability.FolderOf(path))
		}
		return out, nil
	}
}
