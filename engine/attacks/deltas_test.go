package attacks_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func deltaDefences() map[string]defence {
	return map[string]defence{
		"git-allocates-in-bounds": {attack: "TestAttackDeltas/" + local.PullPrefix + ": zeros, a file"},
	}
}

// repeated is a delta that copies the first 64 KiB of a base of zeros again and again.
func repeated(base, size int) []byte {
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(base)), uint64(size)) //nolint:gosec // positive
	return append(delta, bytes.Repeat([]byte{0x80}, size>>16)...)
}

// deltas adds a file of zeros to a hub, which a few kilobytes stand for: a delta, and one upon a delta.
func (d *world) deltas(hub string) map[string]string {
	d.Helper()
	const base, middle, first, second = 64 << 10, 8 << 20, 530 << 20, 531 << 20
	var pack storetest.Pack
	zeros := make([]byte, middle)
	pack.Whole(storetest.KindBlob, zeros[:base])
	for _, next := range []struct{ from, to int }{{base, middle}, {base, first}, {middle, second}} {
		pack.Delta(storetest.Name(storetest.KindBlob, zeros[:next.from]), repeated(next.from, next.to))
	}
	pack.Into(d, hub)
	out := map[string]string{}
	for line := range strings.Lines(d.git("-C", hub, "cat-file", "--batch-all-objects", "--batch-check=%(objectsize) %(objectname)")) {
		switch size, name, _ := strings.Cut(strings.TrimSpace(line), " "); size {
		case fmt.Sprint(first):
			out["zeros"] = name
		case fmt.Sprint(second):
			out["a delta upon a delta"] = name
		}
	}
	return out
}

// A few kilobytes on a hub that stand for more than git may allocate hold up only the refs that lead to them.
func TestAttackDeltas(t *testing.T) {
	d := newWorld(t)
	p := d.proposed("kublai", skill("clove-hitch"))
	hub := d.hub()
	vast := d.deltas(hub)
	tree := func(entry string) string { return d.gitIn(entry+"\n", "-C", hub, "mktree") }
	commit := func(tree string, more ...string) string {
		return d.gitIn("x", append([]string{"-C", hub, "commit-tree", tree}, more...)...)
	}
	empty := d.gitIn("", "-C", hub, "mktree")
	forms := map[string]func(blob string) string{
		"a file": func(b string) string { return commit(tree("100644 blob " + b + "\tactor.json")) },
		"a skill": func(b string) string {
			return commit(tree("040000 tree " + tree("100644 blob "+b+"\tSKILL.md") + "\tskills"))
		},
		"a program": func(b string) string { return commit(tree("100755 blob " + b + "\trun")) },
		"a link":    func(b string) string { return commit(tree("120000 blob " + b + "\tlink")) },
		"a parent":  func(b string) string { return commit(empty, "-p", commit(tree("100644 blob "+b+"\tx"))) },
		"the event": func(b string) string { return commit(tree("100644 blob "+b+"\tactor.json"), "-p", p.Head.String()) },
	}
	for _, place := range []string{
		local.PullPrefix, local.ClosedPrefix, runlog.Prefix, runlog.EndedPrefix, runlog.ArtifactsPrefix, triallog.Prefix, "refs/assent/other/", "refs/heads/proposal/", remote.InboxPrefix,
	} {
		for what, blob := range vast {
			for form, head := range forms {
				t.Run(place+": "+what+", "+form, func(t *testing.T) {
					w := *d
					w.T = t
					ref := place + "evil-abcd2345"
					w.rawRef(hub, ref, head(blob))
					defer d.git("-C", hub, "update-ref", "-d", ref)
					w.drawsNothing(ref, blob)
				})
			}
		}
	}
}

// drawsNothing checks that pulls name a ref and do not take what it leads to.
func (d *world) drawsNothing(ref, blob string) {
	d.Helper()
	var said string
	if strings.HasPrefix(ref, remote.InboxPrefix) {
		said = fmt.Sprint(remote.FetchInbox(d.Context(), d.Repo, "origin"))
	} else {
		out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		if err != nil {
			d.succeeds("nothing is fetched: %v", err)
			return
		}
		said = fmt.Sprint(out.Problems)
	}
	if exec.Command("git", "-C", d.dir, "cat-file", "-e", blob).Run() == nil {
		d.succeeds("git builds all of it in memory")
		return
	}
	if !strings.Contains(said, ref) || !strings.Contains(said, remote.ErrVast.Error()) {
		d.Errorf("%s is not named: %s", ref, said)
	}
}
