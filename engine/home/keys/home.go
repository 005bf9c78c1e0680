package keys

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/assent-dev/assent/engine/home"
)

// Home returns the folder of the user's own files: $ASSENT_HOME, or assent in the
// user's configuration folder. It is not created.
func Home() (string, error) {
	if named := os.Getenv("ASSENT_HOME"); named != "" {
		abs, err := filepath.Abs(named)
		if err != nil {
			return "", fmt.Errorf("finding ASSENT_HOME: %w", err)
		}
		return abs, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding a folder for keys (set ASSENT_HOME): %w", err)
	}
	return filepath.Join(config, "assent"), nil
}

// store returns the folder of the user's own files.
func store() (home.Store, error) {
	dir, err := Home()
	return home.At(dir), err
}
