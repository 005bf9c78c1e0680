package project

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Setting lists folders of clones of the workspace. The first that exists is used. A
// relative one counts from the top of the project.
const Setting = "assent.workspace"

// Missing is returned if a project names folders, and none of them is in a Git repository.
type Missing struct {
	Project string
	Tried   []string
}

func (m *Missing) Error() string {
	return fmt.Sprintf("the Git setting %s of %s names no repository: %s", Setting, m.Project, strings.Join(m.Tried, "; "))
}

// Open opens the repository that contains dir or, if its configuration has Setting, the
// named one. from is the top of the project in that case, else "". Only the repository's own configuration
// counts, and only its setting, not that of the named repository.
func Open(dir string) (repo *gitstore.Repo, from string, err error) {
	repo, err = gitstore.Open(dir)
	if err != nil {
		return nil, "", err
	}
	named := repo.Own(Setting)
	if len(named) == 0 {
		return repo, "", nil
	}
	top := repo.Top()
	missing := &Missing{Project: top}
	for _, written := range named {
		at := under(top, written)
		other, err := gitstore.Open(at)
		if err == nil {
			return other, top, nil
		}
		if !errors.Is(err, gitstore.ErrNotRepository) {
			return nil, "", fmt.Errorf("open the workspace that the Git setting %s of %s names: %w", Setting, top, err)
		}
		if at != written {
			at = fmt.Sprintf("%q, which is %s", written, at)
		}
		missing.Tried = append(missing.Tried, at)
	}
	return nil, "", missing
}

// under returns an absolute path.
func under(top, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(top, path)
	}
	return path
}
