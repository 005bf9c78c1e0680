package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"gopkg.in/yaml.v3"
)

// ConfigFile is the user's own configuration, in Home. No repository can change it.
const ConfigFile = "config.yaml"

// maxConfig bounds ConfigFile, in bytes.
const maxConfig = 64 << 10

type config struct {
	// Unattended lets keys without a passphrase sign without a terminal.
	Unattended bool `yaml:"unattended"`
}

// Unattended reports whether keys without a passphrase may sign without a terminal. An error
// names the file.
func Unattended() (bool, error) {
	own, err := store()
	if err != nil {
		return false, err
	}
	data, err := own.Read(ConfigFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var c config
	if err == nil {
		c, err = parseConfig(data)
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", own.Path(ConfigFile), err)
	}
	return c.Unattended, nil
}

// SetUnattended allows or forbids keys without a passphrase to sign without a terminal.
func SetUnattended(on bool) error {
	own, err := store()
	if err == nil {
		err = own.Change(context.Background(), ConfigFile, maxConfig, func(old []byte) ([]byte, error) {
			c, err := parseConfig(old)
			if err != nil {
				return nil, err
			}
			c.Unattended = on
			return yaml.Marshal(c)
		})
	}
	if err != nil {
		return fmt.Errorf("change %s: %w", own.Path(ConfigFile), err)
	}
	return nil
}

func parseConfig(data []byte) (c config, err error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return config{}, err
	}
	return c, nil
}
