//go:build !linux

package doctor

import (
	"errors"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// usersOf is not supported on this system.
func usersOf(string, *gitstore.Repo) (string, error) {
	return "", errors.New("this system does not tell")
}
