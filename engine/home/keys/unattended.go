package keys

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"
	"gopkg.in/yaml.v3"
)

// ConfigFile is the user's own configuration, in Home. No repository can set any of it.
const ConfigFile = "config.yaml"

// maxConfig is in bytes.
const maxConfig = 64 << 10

type config struct {
	// Unattended lets keys without a passphrase sign where nobody sits at a terminal.
	Unattended bool `yaml:"unattended"`
}

// Unattended reports whether the user lets keys without a passphrase sign for people where
// nobody sits at a terminal. An error names the file.
func Unattended() (bool, error) {
	c, err := readConfig()
	return c.Unattended, err
}

// SetUnattended sets that.
func SetUnattended(on bool) error {
	c, err := readConfig()
	if err != nil {
		return err
	}
	c.Unattended = on
	path, err := configPath()
	if err != nil {
		return err
	}
	data, err := yaml.Marshal(c)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), privateDir)
	}
	if err == nil {
		err = maybe.WriteFile(path, data, privateFile)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func configPath() (string, error) {
	home, err := Home()
	return filepath.Join(home, ConfigFile), err
}

func readConfig() (c config, err error) {
	path, err := configPath()
	if err != nil {
		return c, err
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read your configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig))
	if err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}
