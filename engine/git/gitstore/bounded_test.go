package gitstore

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// TestLargeObjectsAreRefusedUnread: an oversized object is refused by its header, whether
// loose, packed or a delta, and its size is still reported.
func TestLargeObjectsAreRefusedUnread(t *testing.T) {
	b := newBare(t)
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	small := b.put("blob", noise)
	large := b.put("blob", append(bytes.Clone(noise), "more\n"...)) // a delta, once packed
	zeros := b.put("blob", make([]byte, 80<<20))
	commit := b.put("commit", []byte("tree "+b.tree().String()+"\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n"+strings.Repeat("m", 2<<20)))
	check := func(where string) {
		t.Helper()
		repo, err := Open(b.dir)
		if err != nil {
			t.Fatal(err)
		}
		before := heapBytes()
		if _, err := repo.Blob(zeros); !IsBadObject(err) {
			t.Errorf("%s: 80 MiB are read: %v", where, err)
		}
		if n, err := repo.BlobSize(zeros); n != 80<<20 || err != nil {
			t.Errorf("%s: size %d, %v", where, n, err)
		}
		if _, err := repo.Commit(commit); !IsBadObject(err) {
			t.Errorf("%s: a commit of 2 MiB is read: %v", where, err)
		}
		if _, err := repo.BlobWithin(large, 300_000); !IsBadObject(err) {
			t.Errorf("%s: a byte too many is read: %v", where, err)
		}
		if spent := heapBytes() - before; spent > 8<<20 {
			t.Errorf("%s: %d bytes were allocated for what is refused", where, spent)
		}
		for h, n := range map[string]int{small.String(): 300_000, large.String(): 300_005} {
			hash, _ := objectName(kindBlob, "blob", h)
			if data, err := repo.BlobWithin(hash, int64(n)); len(data) != n || err != nil {
				t.Errorf("%s: %d bytes, %v", where, len(data), err)
			}
		}
	}
	check("loose")
	all := strings.Join([]string{b.blob.String(), small.String() + " a/x", large.String() + " a/x", zeros.String() + " z", commit.String()}, "\n")
	b.git([]byte(all+"\n"), "pack-objects", "--quiet", "objects/pack/pack")
	b.git(nil, "prune-packed", "--quiet")
	if out := b.git(nil, "count-objects", "-v"); !strings.Contains(out, "in-pack: 5") {
		t.Fatal(out)
	}
	check("packed")
}

// heapBytes returns the total of bytes ever allocated.
func heapBytes() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
