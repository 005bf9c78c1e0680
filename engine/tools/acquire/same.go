package acquire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// maxOpen is how many open proposals are looked through, the newest first.
const maxOpen = 200

// Same looks for the code and schema of a tool in the tree in force, and in open
// proposals.
func Same(cur workspace.Session, open []forge.Pull, a capability.Acquired) (string, error) {
	code := tree.BlobHash([]byte(a.Code))
	known, err := cur.Capabilities.Entries(func(e index.Entry) bool { return e.Kind == capability.KindTool })
	if err != nil {
		return "", err
	}
	for _, e := range known {
		same, err := holds(cur.View, e.Path, code, a)
		if err != nil || same {
			return e.Name + ", in force,", err
		}
	}
	open = slices.Clone(open)
	order.Stable(open, func(a, b forge.Pull) int { return b.Opened.Compare(a.Opened) })
	for _, p := range open[:min(len(open), maxOpen)] {
		// A broken proposal must not prevent others, so its errors are ignored.
		if brings, err := brings(cur, p, code, a); err == nil && brings {
			return p.ID + ", still open,", nil
		}
	}
	return "", nil
}

// brings reports whether an open proposal adds or changes a capability to be the same.
func brings(cur workspace.Session, p forge.Pull, code tree.Hash, a capability.Acquired) (bool, error) {
	base, err := cur.Repo.MergeBase(cur.Main, p.Head)
	if err != nil {
		return false, err
	}
	before, err := cur.Repo.Snapshot(base)
	if err != nil {
		return false, err
	}
	after, err := cur.Repo.Snapshot(p.Head)
	if err != nil {
		return false, err
	}
	changes, err := tree.Diff(before, after, capability.Root)
	if err != nil {
		return false, err
	}
	for _, c := range changes {
		dir := path.Dir(c.Path)
		if c.Removed() || path.Base(c.Path) != capability.RecordFile && path.Base(dir) != capability.ScriptsDir {
			continue
		}
		dir = strings.TrimSuffix(dir, "/"+capability.ScriptsDir)
		if same, err := holds(after, dir, code, a); err != nil || same {
			return same, err
		}
	}
	return false, nil
}

// holds reports whether the capability in dir has the code and the schema.
func holds(v tree.View, dir string, code tree.Hash, a capability.Acquired) (bool, error) {
	scripts, err := v.List(dir + "/" + capability.ScriptsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !slices.ContainsFunc(scripts, func(e tree.Entry) bool { return e.Hash == code }) {
		return false, err
	}
	c, _, err := capability.Load(v, dir)
	if err != nil || c.Record.Run == nil || c.Record.Run.Runtime != a.Runtime {
		return false, err
	}
	entry, err := v.Lookup(dir + "/" + c.Record.Run.Entry)
	if err != nil || entry.Hash != code {
		return false, nil //nolint:nilerr // an entry that is not there is not the same
	}
	mine, err := json.Marshal(a.Input)
	if err != nil {
		return false, err
	}
	theirs, err := json.Marshal(c.Record.Input)
	return bytes.Equal(mine, theirs), err
}
