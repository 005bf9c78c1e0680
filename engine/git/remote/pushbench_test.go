package remote_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/remote"
)

// BenchmarkPush publishes a branch with one commit of four files in a bare repository, on disk
// and over HTTP; its peer is git push. Both alternate, so that they meet the same noise, and
// medians are compared. Making the commits is not measured.
func BenchmarkPush(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		for _, place := range []string{"disk", "http"} {
			b.Run(fmt.Sprintf("%s-%d", place, n), func(b *testing.B) {
				r, main := workspace(b, n)
				dir := hub(b)
				address := dir
				if place == "http" {
					address = backend(b, filepath.Dir(dir), nil) + "/hub.git"
				}
				git(b, r.Root(), "push", "-q", dir, "refs/heads/main")
				r = remoteAt(b, r, address)
				branch := func(i int) (string, tree.Hash) {
					ref, c := fmt.Sprint("refs/heads/proposal/", i), commit(b, r, main, int64(i), proposal(i)...)
					update(b, r, ref, tree.Hash{}, c)
					return ref, c
				}
				var ours, theirs []time.Duration
				for i := 0; b.Loop(); i++ {
					ref, c := branch(2 * i)
					begin := time.Now()
					if _, err := push(b, r, remote.Move{Ref: ref, New: c}); err != nil {
						b.Fatal(err)
					}
					ours = append(ours, time.Since(begin))
					ref, _ = branch(2*i + 1)
					begin = time.Now()
					git(b, r.Root(), "push", "-q", "origin", ref)
					theirs = append(theirs, time.Since(begin))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(ours).Seconds()*1000, "assent-ms")
				b.ReportMetric(median(theirs).Seconds()*1000, "git-ms")
				b.ReportMetric(float64(median(ours))/float64(median(theirs)), "ratio")
			})
		}
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
