package triallog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Strangers are installations that the policies do not name. Anyone who can push can record any number
// of trials in journals of their own, and strangers count for little (trial.Book.Of). So a reader
// spends only so much on all strangers together, whatever they pushed, and names what it leaves out.
// What this installation and listed ones recorded is read whole.
const (
	// maxStranger and maxStrangers bound the bytes of counts of one stranger, the newest, and of all.
	maxStranger  = 256 << 10
	maxStrangers = 4 << 20
	// maxUnchecked is how many records of strangers one reader checks; a commit costs as much as
	// commitCost records. The next reader goes on there.
	maxUnchecked = 20_000
	commitCost   = 20
	// maxRecords bounds the records of one stranger that a reader visits, the newest, and
	// maxAllRecords those of all.
	maxRecords    = 2000
	maxAllRecords = 10_000
)

// isKnown reports whether a writer is this installation or a listed one.
func isKnown(l Log, own, w trial.Writer) bool {
	return own != "" && w == own || slices.Contains(l.listed, w)
}

const listing = "; policies/retention.yaml can list the installation (trials.writers)"

// selection is the files of counts to read of one journal.
type selection struct {
	writer trial.Writer
	tip    tree.Hash
	files  map[string]tree.Hash
	size   int64
	// older reports that the files are the newest of more.
	older bool
}

// newest selects a stranger's newest files of counts.
func newest(l Log, w trial.Writer, tip tree.Hash) (selection, error) {
	out := selection{writer: w, tip: tip, files: map[string]tree.Hash{}}
	view, err := l.repo.Snapshot(tip)
	if err != nil {
		return out, err
	}
	var dirs []string
	if err := months(view, func(month tree.Entry) error { dirs = append(dirs, month.Path+"/counts"); return nil }); err != nil {
		return out, err
	}
	for _, dir := range slices.Backward(dirs) {
		segments, err := segmentsIn(view, dir)
		if err != nil {
			return out, err
		}
		for _, s := range slices.Backward(segments) {
			size, err := l.repo.BlobSize(s.Hash)
			if err != nil {
				return out, err
			}
			//defence:strangers-counts-are-bounded
			if out.older = out.size+size > maxStranger; out.older {
				return out, nil
			}
			out.files[s.Path], out.size = s.Hash, out.size+size
		}
	}
	return out, nil
}

// followStrangers brings the counts of strangers up to date, the smallest selections first: a large
// journal crowds out no usual one.
func followStrangers(l Log, r *Reading, all []selection) {
	order.Stable(all, func(a, b selection) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.writer, b.writer))
	})
	left := int64(maxStrangers)
	for _, s := range all {
		left -= s.size
		//defence:strangers-share-one-budget
		if left < 0 {
			r.forget(s.writer)
			r.leave(s.writer, fmt.Errorf("unlisted installations have more than %d MiB of counts, and its own are among the largest%s", maxStrangers>>20, listing))
			continue
		}
		if s.older {
			r.leave(s.writer, fmt.Errorf("it has more than %d KiB of counts, and older ones are not read%s", maxStranger>>10, listing))
		}
		if err := put(l, r, s); err != nil {
			r.leave(s.writer, err)
		}
	}
}

// share counts the records of strangers that one reader visited.
type share struct {
	all int
	by  map[trial.Writer]int
	cut map[trial.Writer]bool
}

// full reports whether no more records of a stranger are visited.
func (s *share) full(w trial.Writer) bool {
	//defence:strangers-records-are-bounded
	s.cut[w] = s.by[w] >= maxRecords || s.all >= maxAllRecords
	return s.cut[w]
}

func (s *share) spend(w trial.Writer) { s.all, s.by[w] = s.all+1, s.by[w]+1 }

// problems names the strangers of whom records were left out.
func (s *share) problems() (out []error) {
	for w, cut := range s.cut {
		if cut {
			out = append(out, fmt.Errorf("%s: older records are not read: at most %d of an unlisted installation, and %d of all%s", Ref(w), maxRecords, maxAllRecords, listing))
		}
	}
	order.Sort(out, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return out
}
