package output

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// Upstream is the record of a source that a proposal brings or changes.
type Upstream struct {
	// Path is the capability's folder.
	Path string `json:"path"`
	upstream.Record
	// Broken says why the record cannot be read.
	Broken string `json:"broken,omitempty"`
}

// Text is the record in words.
func (u Upstream) Text() string {
	if u.Broken != "" {
		return u.Broken
	}
	text := u.Source
	for _, part := range [][2]string{{", ref ", u.Ref}, {", folder ", u.Record.Path}, {", commit ", u.Commit[:min(len(u.Commit), shortCommit)]}} {
		if part[1] != "" {
			text += part[0] + part[1]
		}
	}
	return text
}

// shortCommit is how many characters of a commit are shown.
const shortCommit = 12

// NameUpstream adds the sources that a proposal tracks from its merge on.
func (v *Proposal) NameUpstream(cur workspace.Session, ex workspace.Examined) error {
	var view tree.View
	for _, f := range ex.Report.Files {
		dir, name := path.Split(f.Path)
		if !upstream.IsFile(name) {
			continue
		}
		if view == nil {
			var err error
			if view, err = cur.See(ex.Result.Tree); err != nil {
				return err
			}
		}
		src, err := view.Read(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		u := Upstream{Path: strings.TrimSuffix(dir, "/")}
		if u.Record, err = upstream.Parse(f.Path, src); err != nil {
			u.Broken = err.Error()
		}
		v.Upstream = append(v.Upstream, u)
	}
	return nil
}

// printProvenance shows the known origin of a proposal's content.
func printProvenance(c *console.Console, v Proposal) {
	c.Optional("from", console.OneLine(FromText(v)))
	for _, u := range v.Upstream {
		c.Field("upstream", console.OneLine(u.Text()))
	}
	for _, why := range v.Provenance.Unknown() {
		c.Field("unknown", c.Style.Warn(console.OneLine(why)))
	}
	for i, why := range v.Outside {
		name := ""
		if i == 0 {
			name = "outside"
		}
		c.Field(name, c.Style.Warn(console.OneLine(why)))
	}
}

// FromText is by which ways the versions came in, and in whose sessions.
func FromText(v Proposal) string {
	var from []string
	for _, o := range v.Provenance.Origins {
		if text := originText(o); !slices.Contains(from, text) {
			from = append(from, text)
		}
	}
	for _, tool := range v.Provenance.Tools {
		from = append(from, "said to be made with "+tool)
	}
	for _, s := range v.sessions {
		from = append(from, "in a session of "+s)
	}
	return strings.Join(from, "; ")
}

func originText(o provenance.Origin) string {
	if o.Source == "" {
		return string(o.Way)
	}
	return string(o.Way) + " " + o.Source
}

// sessionText names the address of a session, and whose key it had: several have one address.
func sessionText(roles policy.Roles, a policy.Actor) string {
	id, listed := roles.ByKey(a.Claimed)
	switch {
	case a.Claimed == "":
		return a.Email + " without a key"
	case listed:
		return cmp.Or(a.Email, id.Name) + " with the key of " + id.Name
	case a.Email == "":
		return string(a.Claimed)
	}
	return a.Email + " with a key that " + policy.RolesFile + " does not list"
}
