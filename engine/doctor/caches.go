package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/tree"
)

// caches looks at the hint that says with which commit the workspace began. One that
// is wrong is never believed, and costs a walk over the whole history each time.
func (e *examination) caches() {
	path := filepath.Join(e.w.Repo.CommonDir(), "assent", "genesis")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		e.broke("caches", err)
		return
	}
	genesis, err := tree.ParseHash(strings.TrimSpace(string(data)))
	if err == nil {
		commit, missing := e.w.Repo.Commit(genesis)
		if err = missing; err == nil && commit.Trailer(attest.GenesisTrailer) == "" {
			err = errors.New("it began no workspace")
		}
	}
	if err != nil {
		e.warn("caches", "rm '"+path+"'", "%s names no genesis commit (%v): every command walks the whole history", path, err).
			by(removal(path), "remove it, the next command writes it anew")
		return
	}
	e.ok("caches", "they are sound")
}
