package keys

import (
	"fmt"
	"os"
	"path/filepath"
)

// Home returns the folder of the user's own files: $ASSENT_HOME, or assent in the
// user's configuration folder. It is not created.
func Home() (string, error) {
	if home := os.Getenv("ASSENT_HOME"); home != "" {
		abs, err := filepath.Abs(home)
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

// private are the permissions of folders and files that only the user may read.
const (
	privateDir  = 0o700
	privateFile = 0o600
)

// syncDir makes a new or renamed name in dir survive a power cut, where the
// system can do that.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing %s: %w", dir, err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !unsupportedSync(err) {
		return fmt.Errorf("syncing %s: %w", dir, err)
	}
	return nil
}
