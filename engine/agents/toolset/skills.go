package toolset

import (
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// SkillScheme begins the address of a file of a capability.
const SkillScheme = "skill://"

// The limits of one skill that every host of the Skills extension accepts.
const (
	maxSkillFiles = 512
	maxSkillBytes = 16 << 20
)

// SkillURI is the address of a file of a capability.
func SkillURI(name, file string) string {
	return SkillScheme + name + "/" + (&url.URL{Path: file}).EscapedPath()
}

// Manifest is one skill in the form of MCP's Skills extension (SEP-2640).
type Manifest struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   []SkillFile    `json:"resources"`
}

// SkillFile is one file of a skill. Digest is "sha256:" and 64 hexadecimal digits.
type SkillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Skills returns up to limit manifests of the skills in force that the agent may use, in the order of
// their names, beginning after a name. next is the name to go on after; empty at the end.
func (a *Agent) Skills(ctx context.Context, after string, limit int) (out []Manifest, next string, err error) {
	out = []Manifest{}
	cur, view, err := a.handout(ctx)
	if err != nil {
		return out, "", err
	}
	entries, err := a.skills(cur)
	if err != nil {
		return out, "", err
	}
	for _, e := range entries {
		if e.Name <= after {
			continue
		}
		if len(out) == limit {
			return out, path.Base(path.Dir(out[len(out)-1].URI)), nil
		}
		m, ok, err := manifest(view, e.Folder)
		if err != nil {
			return out, "", err
		}
		if ok {
			out = append(out, m)
		}
	}
	return out, "", nil
}

// Listed are the skills in force that the agent may use, by name, without those that are stopped.
func (a *Agent) Listed(ctx context.Context) ([]index.Entry, error) {
	cur, view, err := a.handout(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := a.skills(cur)
	return slices.DeleteFunc(entries, func(e index.Entry) bool {
		_, err := view.Lookup(e.Path)
		return isHalted(err)
	}), err
}

func isHalted(err error) bool {
	var halted *workspace.Halted
	return errors.As(err, &halted)
}

func (a *Agent) skills(cur workspace.Session) ([]index.Entry, error) {
	entries, err := cur.Capabilities.Entries(func(e index.Entry) bool { return e.Kind == capability.KindSkill && a.mayUse(e) })
	order.Sort(entries, func(x, y index.Entry) int { return strings.Compare(x.Name, y.Name) })
	return entries, err
}

// Skill returns the manifest of the skill whose SKILL.md has this address.
func (a *Agent) Skill(ctx context.Context, uri string) (Manifest, error) {
	name, file, ok := splitURI(uri)
	if !ok || file != names.SkillFile {
		return Manifest{}, refuse("the address is "+SkillURI("NAME", names.SkillFile), "%q is no address of a skill", uri)
	}
	cur, view, err := a.handout(ctx)
	if err != nil {
		return Manifest{}, err
	}
	c, err := a.named(cur, name)
	if err != nil {
		return Manifest{}, err
	}
	m, ok, err := manifest(view, c.Folder)
	if err == nil && (!ok || c.Kind != capability.KindSkill || c.Name != name) {
		err = refuse("find lists what is in force", "%q is not an available skill", uri)
	}
	return m, err
}

// File reads the file of a capability that an address names.
func (a *Agent) File(ctx context.Context, uri string) (data []byte, text bool, err error) {
	name, file, ok := splitURI(uri)
	if !ok {
		return nil, false, refuse("the address is "+SkillURI("NAME", "FILE"), "%q is no address of a file", uri)
	}
	cur, view, err := a.handout(ctx)
	if err != nil {
		return nil, false, err
	}
	c, err := a.named(cur, name)
	if err != nil {
		return nil, false, err
	}
	e, err := view.Lookup(tree.Join(c.Path, file))
	switch {
	case isHalted(err):
		return nil, false, err
	case err != nil || !e.Mode.IsFile():
		return nil, false, refuse("load "+c.Name+" lists its files", "%s has no file %q", c.Name, file)
	}
	data, err = view.Read(e.Path)
	return data, utf8.Valid(data), err
}

// handout opens the workspace and returns the state in force without stopped capabilities.
func (a *Agent) handout(ctx context.Context) (workspace.Session, tree.View, error) {
	cur, err := a.Open(ctx)
	if err != nil {
		return cur, nil, err
	}
	view, err := cur.Handout(ctx, cur.View)
	return cur, view, err
}

func splitURI(uri string) (name, file string, ok bool) {
	rest, ok := strings.CutPrefix(uri, SkillScheme)
	if !ok {
		return "", "", false
	}
	rest, err := url.PathUnescape(rest)
	if err != nil {
		return "", "", false
	}
	name, file, ok = strings.Cut(rest, "/")
	return name, file, ok && names.IsName(name) && file != "" && path.Clean(file) == file && !strings.HasPrefix(file, "../") && file != ".."
}

// manifest lists the files of a skill. ok is false for one that cannot be handed out in this
// form: stopped, too large, or with a name that is not its folder's.
func manifest(view tree.View, f capability.Folder) (m Manifest, ok bool, err error) {
	m = Manifest{URI: SkillURI(f.Name, names.SkillFile), Resources: []SkillFile{}}
	if _, err := view.Lookup(f.Path); err != nil {
		return m, false, nil
	}
	src, err := view.Read(tree.Join(f.Path, names.SkillFile))
	if err != nil {
		return m, false, err
	}
	var found diag.List
	if m.Frontmatter, found = capability.FrontMatter(tree.Join(f.Path, names.SkillFile), src); found.HasErrors() || m.Frontmatter["name"] != f.Name {
		return m, false, nil
	}
	total := int64(0)
	err = tree.Files(view, f.Path, func(e tree.Entry) error {
		data, err := view.Read(e.Path)
		if err != nil {
			return err
		}
		total += int64(len(data))
		m.Resources = append(m.Resources, SkillFile{
			URI: SkillURI(f.Name, strings.TrimPrefix(e.Path, f.Path+"/")), Digest: canonical.Digest(data), Size: int64(len(data)),
		})
		return nil
	})
	return m, err == nil && len(m.Resources) <= maxSkillFiles && total <= maxSkillBytes, err
}
