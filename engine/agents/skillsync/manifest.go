package skillsync

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/agents/install"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/exporter"
)

// ManifestFile is the manifest's name in the folder.
const ManifestFile = ".assent-sync.json"

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

// readManifest reads the manifest of a folder; its version is 0 if there is none.
func readManifest(dir string) (manifest, error) {
	m := manifest{Skills: map[string]files{}}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("open %s: %w", dir, err)
	}
	defer root.Close()
	f, err := root.Open(ManifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, fmt.Errorf("read the manifest of %s: %w", dir, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return m, fmt.Errorf("read the manifest of %s: %w", dir, err)
	}
	if err := m.parse(data); err != nil {
		return m, &install.Refused{Path: filepath.Join(dir, ManifestFile), Err: err, Fix: "remove the file; skills that are there stay, and sync reports those that differ"}
	}
	return m, nil
}

// parse refuses a manifest that names anything but files inside folders of skills.
func (m *manifest) parse(data []byte) error {
	if len(data) > maxManifest {
		return fmt.Errorf("it has more than %d bytes", maxManifest)
	}
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
func (m manifest) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) && len(m.Skills) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer root.Close()
	if len(m.Skills) == 0 {
		if err := root.Remove(ManifestFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the manifest of %s: %w", dir, err)
		}
		return nil
	}
	m.V = manifestVersion
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	temp := ManifestFile + "." + rand.Text()
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write the manifest of %s: %w", dir, err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(temp, ManifestFile)
	}
	if err != nil {
		return fmt.Errorf("write the manifest of %s: %w", dir, errors.Join(err, root.Remove(temp)))
	}
	return nil
}
