package gitstore

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatienceWithLocks: a lock that changes hands is waited for, but not for ever.
func TestPatienceWithLocks(t *testing.T) {
	for name, tc := range map[string]struct {
		holders int // each for a second
		want    bool
	}{
		"one":              {1, true},
		"many in turn":     {10, true},
		"more than enough": {60, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := claimant(t)
			path := filepath.Join(r.commonDir, "refs", "heads", "main")
			synctest.Test(t, func(t *testing.T) {
				hold(t, path)
				began := time.Now()
				var others sync.WaitGroup
				defer others.Wait()
				others.Go(func() {
					for range tc.holders {
						time.Sleep(time.Second)
						hold(t, path)
					}
					if err := os.Remove(path + ".lock"); err != nil {
						t.Error(err)
					}
				})
				lock, err := r.acquire(path, nil)
				var locked *ErrLocked
				switch {
				case tc.want && err != nil:
					t.Errorf("%v after %s", err, time.Since(began))
				case tc.want:
					lock.release()
				case !errors.As(err, &locked) || time.Since(began) > 2*lockPatienceInAll:
					t.Errorf("%v after %s", err, time.Since(began))
				}
			})
		})
	}
}

// hold replaces an existing lock by another holder's, without a gap.
func hold(t *testing.T, path string) {
	t.Helper()
	next := filepath.Join(filepath.Dir(path), "next")
	if err := errors.Join(os.WriteFile(next, nil, 0o600), os.Rename(next, path+".lock")); err != nil {
		t.Error(err)
	}
}
