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

// Alike searches what is in force for the capabilities that one may duplicate, by the
// words of its name, its description, its headings and its first paragraph.
func (s Session) Alike(what capability.Capability) ([]capability.Folder, error) {
	found, err := s.Capabilities.Find(index.Query{Words: what.Name + "\n" + what.Description + "\n" + index.Outline(what.Skill.Body), Limit: maxAlike + 1, Rarest: rarest})
	if err != nil {
		return nil, err
	}
	var out []capability.Folder
	for _, m := range found {
		if m.Path != what.Path && len(out) < maxAlike {
			out = append(out, m.Folder)
		}
	}
	return out, nil
}

// comparedIn answers what a recorded report says that was compared, so that judging
// a merge again searches nothing and finds the same. A record written by hand can leave
// out comparisons. That is harmless: it only admits a duplicate, and the record shows it.
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
