package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Anyone who can push decides how long git works in vain: minutes for folders that are nested 100 000
// deep. The invariant: attempts at refs that cannot be fetched cost a clone at most a hundredth of its
// time, or what they take once a day, while these refs do not move. They are left out and named meanwhile. Forgetting one
// costs time.

// unfetched is a ref of a remote that could not be fetched.
type unfetched struct {
	At  tree.Hash `json:"at"`
	Why string    `json:"why"`
	// Since is when the attempts ended, Took how long they took.
	Since time.Time     `json:"since"`
	Took  time.Duration `json:"took"`
}

const (
	restFactor  = 100 // the rest without attempts is this many times as long as the attempts took
	longestRest = 24 * time.Hour
	shortest    = time.Second // attempts that took less are made each time
)

func (f unfetched) end() time.Time {
	return f.Since.Add(min(restFactor*min(f.Took, longestRest), longestRest))
}

// rests reports whether no attempt is made at a time.
func (f unfetched) rests(now time.Time) (rests bool) {
	//defence:failed-fetches-pause
	rests = f.Took >= shortest && !now.Before(f.Since) && now.Before(f.end())
	return rests
}

// unfetchedRefs are those of the remotes of a clone, by the remote's name and the ref.
type unfetchedRefs map[string]unfetched

func unfetchedFile(r *gitstore.Repo) string {
	return filepath.Join(r.CommonDir(), "assent", "unfetched")
}

// readUnfetched reads what earlier fetches found. What cannot be read is found again.
func readUnfetched(r *gitstore.Repo) unfetchedRefs {
	var known unfetchedRefs
	data, err := os.ReadFile(unfetchedFile(r))
	if err != nil || json.Unmarshal(data, &known) != nil || known == nil {
		return unfetchedRefs{}
	}
	return known
}

func (k unfetchedRefs) save(r *gitstore.Repo) {
	now := time.Now()
	maps.DeleteFunc(k, func(_ string, f unfetched) bool { return now.Before(f.Since) || now.After(f.end()) })
	data, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(unfetchedFile(r)), 0o777)
	}
	if err == nil {
		_ = maybe.WriteFile(unfetchedFile(r), data, 0o644)
	}
}

// Forget has the next fetch try every ref of a remote.
func Forget(r *gitstore.Repo, name string) {
	known := readUnfetched(r)
	n := len(known)
	maps.DeleteFunc(known, func(key string, _ unfetched) bool { return strings.HasPrefix(key, name+" ") })
	if len(known) < n {
		known.save(r)
	}
}

// resting returns the refs below patterns that no attempt is made at. It asks the remote only if there
// may be some.
func resting(ctx context.Context, r *gitstore.Repo, name string, patterns []string) (*Partly, error) {
	out, known, now := &Partly{Remote: name}, readUnfetched(r), time.Now()
	maps.DeleteFunc(known, func(key string, f unfetched) bool {
		ref, own := strings.CutPrefix(key, name+" ")
		return !own || !f.rests(now) || !slices.ContainsFunc(patterns, func(p string) bool { return strings.HasPrefix(ref, strings.TrimSuffix(p, "*")) })
	})
	if len(known) == 0 {
		return out, nil
	}
	there, err := listed(ctx, r, name, patterns...)
	if err != nil {
		return nil, err
	}
	for _, ref := range slices.Sorted(maps.Keys(there)) {
		f, is := known[name+" "+ref]
		if !is || f.At != there[ref] {
			continue
		}
		out.Refs = append(out.Refs, ref)
		if out.Err == nil {
			out.Err = fmt.Errorf("not tried before %s, because it took %s in vain: %s", f.end().UTC().Format("2006-01-02 15:04 MST"), f.Took.Round(time.Second), f.Why)
		}
	}
	return out, nil
}

// add makes refs that were left out part of an error of a fetch, nil for none.
func (e *Partly) add(err error) error {
	var more *Partly
	if len(e.Refs) == 0 || err != nil && !errors.As(err, &more) {
		return err
	}
	if more != nil {
		e.Refs, e.Untried, e.Err = append(e.Refs, more.Refs...), more.Untried, more.Err
		slices.Sort(e.Refs)
	}
	return e
}

// local reports whether git failed for a reason that has to do with this machine and not with what was sent. The remote's
// own words count for nothing, nor does a lack of memory, which a remote can cause.
func local(err error) bool {
	for line := range strings.Lines(err.Error()) {
		if strings.Contains(line, "remote: ") {
			continue
		}
		for _, cause := range []string{"No space left on device", "Disk quota exceeded", "Read-only file system", "Input/output error", "Too many open files", "Resource temporarily unavailable", ".lock': File exists"} {
			if strings.Contains(line, cause) {
				return true
			}
		}
	}
	return false
}

// remember stores the refs of a remote that failed, if they are still where they were before.
func remember(ctx context.Context, r *gitstore.Repo, name string, before map[string]tree.Hash, failed []string, why error, took time.Duration) {
	now, err := listed(ctx, r, name, failed...)
	if err != nil { // then the cause may be the remote
		return
	}
	const longest = 500
	text := why.Error()
	known := readUnfetched(r)
	for _, ref := range failed {
		if at := now[ref]; !at.IsZero() && at == before[ref] {
			known[name+" "+ref] = unfetched{At: at, Why: strings.ToValidUTF8(text[:min(len(text), longest)], ""), Since: time.Now(), Took: took}
		}
	}
	known.save(r)
}
