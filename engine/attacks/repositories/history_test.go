package repositories_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/base/effort"
)

// commits of the large history; more by night.
func commits() int { return effort.Of(5000, 5000, 50_000) }

// largeHistory makes a repository with a long past: a line of commits with occasional merges of a
// side branch, and a tag each few commits. Its first part is in a pack of its own.
func largeHistory(p *place) {
	p.ws = filepath.Join(p.top, "large")
	p.ok(os.Mkdir(p.ws, 0o755))
	p.git("init", "-q")
	n := commits()
	const recent = 200
	p.stdin(strings.NewReader(stream(0, n-recent)), "fast-import", "--quiet", "--force")
	p.git("pack-refs", "--all")
	if old := p.oldPack(); exists(old) {
		p.write(strings.TrimSuffix(old, ".pack")+".keep", "")
	}
	p.stdin(strings.NewReader(stream(n-recent, recent)), "fast-import", "--quiet")
	p.git("reset", "-q", "--hard")
	if got := p.git("rev-list", "--count", "main"); got != strconv.Itoa(n+2*n/50) {
		p.Fatalf("%s commits", got)
	}
	p.assent("init", "--agent", "scout").exits(p, 0)
}

// oldPack returns the largest pack.
func (p *place) oldPack() string {
	p.Helper()
	packs, err := filepath.Glob(p.in(".git", "objects", "pack", "*.pack"))
	p.ok(err)
	largest, size := "", int64(0)
	for _, pack := range packs {
		info, err := os.Stat(pack)
		p.ok(err)
		if info.Size() > size {
			largest, size = pack, info.Size()
		}
	}
	return largest
}

// stream returns input for git fast-import: n commits after the first ones, each 50th followed by
// the merge of a side branch.
func stream(first, n int) string {
	var b strings.Builder
	mark := 0
	commit := func(ref string, i int, from, merge string) int {
		mark++
		fmt.Fprintf(&b, "commit %s\nmark :%d\ncommitter Ada <ada@example.org> %d +0000\ndata 2\nx\n", ref, mark, 1_500_000_000+60*i)
		if from != "" {
			fmt.Fprintf(&b, "from %s\n", from)
		}
		if merge != "" {
			fmt.Fprintf(&b, "merge %s\n", merge)
		}
		text := fmt.Sprintf("%d\n%s", i, strings.Repeat("line\n", i%40))
		fmt.Fprintf(&b, "M 100644 inline src/%d/%d.txt\ndata %d\n%s\n", i%7, i%400, len(text), text)
		return mark
	}
	tip := ""
	if first > 0 {
		tip = "refs/heads/main^0"
	}
	for i := first; i < first+n; i++ {
		main := fmt.Sprintf(":%d", commit("refs/heads/main", i, tip, ""))
		tip = ""
		if i%50 == 0 {
			side := commit(fmt.Sprintf("refs/heads/side-%d", i), i, main, "")
			commit("refs/heads/main", i, main, fmt.Sprintf(":%d", side))
			fmt.Fprintf(&b, "reset refs/tags/v%d\nfrom %s\n\n", i, main)
		}
	}
	return b.String()
}

// journeyWithoutTheOldPack removes the first part of history after the workspace began. A command
// that people wait for must not walk it; otherwise it fails.
func (p *place) journeyWithoutTheOldPack() {
	p.Helper()
	pack := p.oldPack()
	away := filepath.Join(p.top, "old.pack")
	p.ok(os.Rename(pack, away))
	p.assent("list").exits(p, 0)
	p.assent("status").exits(p, 0)
	id, _ := p.merged("bowline")
	p.assent("list").exits(p, 0).says(p, "bowline")
	p.assent("cat", "bowline").exits(p, 0)
	p.assent("undo", id).exits(p, 0)
	p.ok(os.Rename(away, pack))
	p.assent("audit", "verify").exits(p, 0).says(p, "the record holds")
	p.assent("doctor").exits(p, 0)
	p.witness()
}
