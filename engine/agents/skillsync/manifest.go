package skillsync

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/agents/install"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/proposals/exporter"
)

const (
	manifestVersion = 1
	maxManifest     = 8 << 20 // bytes
)

// manifest records what sync wrote into one folder.
type manifest struct {
	V         int       `json:"v"`
	Workspace string    `json:"workspace"`
	Agent     string    `json:"agent"`
	Commit    tree.Hash `json:"commit"`
	// Skills maps each skill, and each path in its folder, to the blobs that sync wrote.
	// There are two blobs while a file is being replaced, so that a kill leaves no unknown
	// file.
	Skills map[string]files `json:"skills"`
}

type files map[string][]tree.Hash

// earlier converts the recorded files of a skill for exporter.Compare.
func (f files) earlier() exporter.Earlier {
	out := exporter.Earlier{}
	for file, blobs := range f {
		out[file] = map[tree.Hash]bool{}
		for _, blob := range blobs {
			out[file][blob] = true
		}
	}
	return out
}

// manifestOf is the manifest's place in the user's own folder. It is not kept in the synced folder: a
// project that brings one could have files removed that this user's sync never wrote.
func manifestOf(dir string) string { return fmt.Sprintf("synced/%x.json", sha256.Sum256([]byte(dir))) }

// readManifest reads the manifest of a folder; its version is 0 if there is none.
func readManifest(store home.Store, dir string) (manifest, error) {
	m := manifest{Skills: map[string]files{}}
	data, err := store.Read(manifestOf(dir), maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("read the manifest of %s: %w", dir, err)
	}
	if err := m.parse(data); err != nil {
		return m, &install.Refused{Path: store.Path(manifestOf(dir)), Err: err, Fix: "remove the file; skills that are there stay, and sync reports those that differ"}
	}
	return m, nil
}

// parse refuses a manifest that names anything but files inside folders of skills.
func (m *manifest) parse(data []byte) error {
	if err := json.Unmarshal(data, m); err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	if m.V != manifestVersion {
		return fmt.Errorf("it has version %d; this program knows version %d", m.V, manifestVersion)
	}
	for name, all := range m.Skills {
		if !names.IsName(name) {
			return fmt.Errorf("%q is not the name of a skill", name)
		}
		for file := range all {
			if !filepath.IsLocal(filepath.FromSlash(file)) || path.Clean(file) != file || strings.Contains(file, `\`) {
				return fmt.Errorf("%q is not a path in the folder of %s", file, name)
			}
		}
	}
	if m.Skills == nil {
		m.Skills = map[string]files{}
	}
	return nil
}

// write replaces the manifest, or removes it if it records nothing.
func (m manifest) write(store home.Store, dir string) error {
	if len(m.Skills) == 0 {
		if err := store.Remove(manifestOf(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the manifest of %s: %w", dir, err)
		}
		return nil
	}
	m.V = manifestVersion
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := store.Write(manifestOf(dir), data); err != nil {
		return fmt.Errorf("write the manifest of %s: %w", dir, err)
	}
	return nil
}
