package local_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// moves returns the order in which do moves refs, as inotify reports it.
func moves(t *testing.T, r *gitstore.Repo, do func()) []string {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK)
	must(t, err)
	defer syscall.Close(fd)
	dirs := map[int32]string{}
	for _, dir := range []string{"refs/heads", "refs/heads/proposal", "refs/assent/pulls"} {
		wd, err := syscall.InotifyAddWatch(fd, filepath.Join(r.CommonDir(), dir), syscall.IN_MOVED_TO|syscall.IN_DELETE)
		must(t, err)
		dirs[int32(wd)] = dir
	}
	do()
	buf := make([]byte, 1<<16)
	n, err := syscall.Read(fd, buf)
	must(t, err)
	var out []string
	for at := 0; at < n; {
		ev := (*syscall.InotifyEvent)(unsafe.Pointer(&buf[at]))
		name := string(bytes.TrimRight(buf[at+syscall.SizeofInotifyEvent:at+syscall.SizeofInotifyEvent+int(ev.Len)], "\x00"))
		at += syscall.SizeofInotifyEvent + int(ev.Len)
		if strings.HasSuffix(name, ".lock") || ev.Mask&syscall.IN_ISDIR != 0 {
			continue
		}
		what := "move "
		if ev.Mask&syscall.IN_DELETE != 0 {
			what = "delete "
		}
		out = append(out, what+dirs[ev.Wd]+"/"+name)
	}
	return out
}

// TestOrderOfMoves: interruptions are harmless because of the order of moves. The suite's
// interruptions are prefixes of it.
func TestOrderOfMoves(t *testing.T) {
	r := newRepo(t)
	f := local.New(r)
	opened(t, f, r, "keeps-the-folders-1") // creates the folders to watch
	req := opening(t, r, "ordered")
	journal, branch, base := "refs/assent/pulls/"+req.ID, "refs/heads/proposal/"+req.ID, "refs/heads/main"
	who := forge.Actor{Name: "kublai"}
	for _, step := range []struct {
		name string
		do   func() error
		want []string
	}{
		{"open", func() error { _, err := f.Open(t.Context(), req); return err }, []string{"move " + journal, "move " + branch}},
		{"close", func() error {
			return f.Close(t.Context(), req.ID, forge.Closing{By: who, Why: "withdrawn", At: epoch})
		}, []string{"move " + journal, "delete " + branch}},
		{"reopen", func() error { _, err := f.Reopen(t.Context(), req.ID, who, epoch); return err }, []string{"move " + journal, "move " + branch}},
		{"push", func() error {
			_, err := f.Push(t.Context(), req.ID, forge.Push{By: who, Old: req.Head, New: child(t, r, req.Head, "x"), At: epoch})
			return err
		}, []string{"move " + branch, "move " + journal}},
		{"merge", func() error {
			_, err := f.Merge(t.Context(), req.ID, merging(t, r, req.ID))
			return err
		}, []string{"move " + journal, "move " + base, "move " + journal, "delete " + branch}},
	} {
		got := moves(t, r, func() { must(t, step.do()) })
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", step.name, diff)
		}
	}
	if (tip(t, r, branch) != tree.Hash{}) {
		t.Error("the branch of a merged pull request is still there")
	}
}
