package home_test

import (
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/home"
)

// TestAppend: appends keep their order, also from concurrent writers under a lock, and a file
// can be truncated.
func TestAppend(t *testing.T) {
	s := home.At(t.TempDir())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				err := s.Locked(t.Context(), "d/lock", func() error {
					old, err := s.Read("d/f", 1000)
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						return err
					}
					return s.Append("d/f", []byte(strings.Repeat("x", len(old)/4%3+1)+"\n"))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	data, err := s.Read("d/f", 1000)
	if err != nil || strings.Count(string(data), "\n") != 20 {
		t.Fatalf("%q, %v", data, err)
	}
	if err := s.Truncate("d/f", 2); err != nil {
		t.Fatal(err)
	}
	if data, err := s.Read("d/f", 1000); err != nil || string(data) != "x\n" {
		t.Errorf("%q, %v", data, err)
	}
	for _, bad := range []string{"../f", "/f", ""} {
		if err := s.Append(bad, nil); err == nil {
			t.Errorf("%q is appended to", bad)
		}
	}
	if err := s.Truncate("none", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	failed := errors.New("no")
	if err := s.Locked(t.Context(), "d/lock", func() error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}
