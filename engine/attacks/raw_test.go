package attacks_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// raw is an entry of a tree object that no program of assent would write.
type raw struct{ mode, name, hash string }

// object stores raw bytes as an object, even if Git would refuse them.
func (d *world) object(kind string, data []byte) string {
	d.Helper()
	cmd := exec.Command("git", "-C", d.dir, "hash-object", "-t", kind, "-w", "--literally", "--stdin")
	cmd.Env, cmd.Stdin = os.Environ(), bytes.NewReader(data)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// entries lists a tree object.
func (d *world) entries(hash string) []raw {
	d.Helper()
	var out []raw
	for line := range strings.SplitSeq(d.git("ls-tree", "-z", hash), "\x00") {
		if front, name, ok := strings.Cut(line, "\t"); ok {
			f := strings.Fields(front)
			out = append(out, raw{mode: strings.TrimLeft(f[0], "0"), name: name, hash: f[2]})
		}
	}
	return out
}

func (d *world) tree(entries []raw) string {
	d.Helper()
	slices.SortStableFunc(entries, func(a, b raw) int { return strings.Compare(a.sorted(), b.sorted()) })
	var b bytes.Buffer
	for _, e := range entries {
		h, err := hex.DecodeString(e.hash)
		d.ok(err)
		fmt.Fprintf(&b, "%s %s\x00%s", e.mode, e.name, h)
	}
	return d.object("tree", b.Bytes())
}

func (r raw) sorted() string {
	if r.mode == "40000" {
		return r.name + "/"
	}
	return r.name
}

// grafted returns a tree with an entry at a path, whose parts may hold anything but a slash. It
// enters or creates the folders on the way.
func (d *world) grafted(top string, parts []string, mode, hash string) string {
	d.Helper()
	var list []raw
	if top != "" {
		list = d.entries(top)
	}
	at := slices.IndexFunc(list, func(e raw) bool { return e.name == parts[0] && (len(parts) == 1 || e.mode == "40000") })
	e := raw{mode: mode, name: parts[0], hash: hash}
	if len(parts) > 1 {
		below := ""
		if at >= 0 {
			below = list[at].hash
		}
		e = raw{mode: "40000", name: parts[0], hash: d.grafted(below, parts[1:], mode, hash)}
	}
	if at >= 0 {
		list[at] = e
	} else {
		list = append(list, e)
	}
	return d.tree(list)
}

// smuggled pushes a commit to a proposal's branch with an entry that no honest program would
// store, and returns the result of examining it.
func (d *world) smuggled(p forge.Pull, parts []string, mode, hash string) error {
	d.Helper()
	return d.smuggledTree(p, d.grafted(d.treeOf(p.Head).String(), parts, mode, hash))
}

func (d *world) smuggledTree(p forge.Pull, top string) error {
	d.Helper()
	commit := d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor M <m@example.org> %d +0000\ncommitter M <m@example.org> %[3]d +0000\n\nMore\n",
		top, p.Head, d.tick().Unix()))
	h, err := tree.ParseHash(commit)
	d.ok(err)
	d.pushed(p, h)
	d.reopen()
	cur, err := d.Session(d.Context())
	d.ok(err)
	_, err = cur.Examine(d.Context(), p.ID)
	return err
}

// refusedPush checks that the smuggled entry is refused, by a validation rule or as unreadable.
func (d *world) refusedPush(p forge.Pull, err error, rule string) {
	d.Helper()
	if err == nil {
		d.reportHas(p.ID, rule)
		d.holds(p.ID)
		return
	}
	var damaged *forge.Damaged
	if !errors.As(err, &damaged) || !errors.Is(err, gitstore.ErrCorrupt) && !errors.Is(err, gitstore.ErrBadEdit) && !errors.Is(err, tree.ErrTooLarge) {
		d.succeeds("a branch keeps everybody from theirs: %v", err)
		return
	}
	d.unchanged()
	if errors.Is(err, gitstore.ErrCorrupt) {
		return
	}
	head := d.head(p)
	d.announced(p, d.treeOf(head), head)
}

// head returns the tip of a proposal's branch.
func (d *world) head(p forge.Pull) tree.Hash {
	d.Helper()
	h, err := d.Repo.Ref("refs/heads/" + p.Branch)
	d.ok(err)
	return h
}

// announced puts a merge of an unexaminable proposal on main, as forged does for a proposal that
// can be examined.
func (d *world) announced(p forge.Pull, top, head tree.Hash) {
	d.Helper()
	d.merges(p.ID, top, head, "")
	d.reopen()
	if _, err := d.Session(d.Context()); err != nil {
		d.succeeds("a merge keeps everybody from what is in force: %v", err)
		return
	}
	if d.blocked() == "" {
		d.Error("it is blocked without a reason")
	}
}
