package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// config looks up the repository's files first, then the user's. It follows no includes and
// reads no system-wide file, so that neither a repository nor a machine can change the engine's
// behaviour. The user's identity has no effect on behaviour; git is asked for it where includes
// may set it (see User).
type config struct {
	worktree, local *configFile
	user            []*configFile
}

type configFile struct{ raw *gitconfig.Config }

func loadConfig(commonDir, gitDir string) (*config, error) {
	local, err := readConfig(filepath.Join(commonDir, "config"))
	if err != nil {
		return nil, err
	}
	c := &config{local: local, worktree: &configFile{gitconfig.New()}}
	if Truth(local.get("extensions.worktreeconfig")) {
		if c.worktree, err = readConfig(filepath.Join(gitDir, "config.worktree")); err != nil {
			return nil, err
		}
	}
	for _, path := range userConfigs() {
		f, err := readConfig(path)
		if err != nil {
			return nil, err
		}
		c.user = append(c.user, f)
	}
	return c, nil
}

// userConfigs returns the user's files, the more specific one first.
func userConfigs() []string {
	if path, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		return []string{path}
	}
	var paths []string
	home, err := os.UserHomeDir()
	if err == nil {
		paths = append(paths, filepath.Join(home, ".gitconfig"))
	}
	if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		paths = append(paths, filepath.Join(xdg, "git", "config"))
	} else if err == nil {
		paths = append(paths, filepath.Join(home, ".config", "git", "config"))
	}
	return paths
}

func readConfig(path string) (*configFile, error) {
	c := gitconfig.New()
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || path == "" {
		return &configFile{c}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading Git configuration: %w", err)
	}
	defer f.Close()
	if err := gitconfig.NewDecoder(f).Decode(c); err != nil {
		return nil, fmt.Errorf("reading Git configuration %s: %w; `git config --list` shows where", path, err)
	}
	return &configFile{c}, nil
}

// get returns the last value of section.key or section.subsection.key.
func (f *configFile) get(name string) string {
	first, last := strings.IndexByte(name, '.'), strings.LastIndexByte(name, '.')
	if first < 0 {
		return ""
	}
	if !f.raw.HasSection(name[:first]) {
		return ""
	}
	section := f.raw.Section(name[:first])
	if first == last {
		return section.Options.Get(name[first+1:])
	}
	if sub := name[first+1 : last]; section.HasSubsection(sub) {
		return section.Subsection(sub).Options.Get(name[last+1:])
	}
	return ""
}

func (f *configFile) names(section string) []string {
	if !f.raw.HasSection(section) {
		return nil
	}
	var out []string
	for _, o := range f.raw.Section(section).Options {
		out = append(out, o.Key)
	}
	return out
}

func (f *configFile) anyRemoteTrue(key string) bool {
	if !f.raw.HasSection("remote") {
		return false
	}
	for _, sub := range f.raw.Section("remote").Subsections {
		if sub.HasOption(key) && Truth(sub.Options.Get(key)) {
			return true
		}
	}
	return false
}

func (c *config) get(name string) string {
	for _, f := range append([]*configFile{c.worktree, c.local}, c.user...) {
		if v := f.get(name); v != "" {
			return v
		}
	}
	return ""
}

// includes reports whether a file includes others.
func (c *config) includes() bool {
	for _, f := range append([]*configFile{c.worktree, c.local}, c.user...) {
		if f.raw.HasSection("include") || f.raw.HasSection("includeIf") {
			return true
		}
	}
	return false
}

func (c *config) bool(name string, otherwise bool) bool {
	v := c.get(name)
	if v == "" {
		return otherwise
	}
	return Truth(v)
}

// Truth reports whether a Git configuration value is a true boolean.
func Truth(v string) bool {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// Settings is the configuration of a repository and of its user, read once.
type Settings struct {
	place   Place
	config  *config
	asked   sync.Mutex
	answers map[string]string // cache of git's answers about the user
}

// Config returns the value of section.key or section.subsection.key from the repository's
// configuration, else from the user's, else "". The files are read once, at Open, without
// includes.
func (s *Settings) Config(name string) string { return s.config.get(name) }

// Own returns all values of section.key in the repository's own configuration, in order.
func (s *Settings) Own(name string) []string {
	var out []string
	section, key, _ := strings.Cut(name, ".")
	for _, f := range []*configFile{s.config.worktree, s.config.local} {
		if f.raw.HasSection(section) {
			out = append(out, f.raw.Section(section).Options.GetAll(key)...)
		}
	}
	return out
}

// Follows reports whether fetching from a configured remote updates refs below prefix, which
// ends in '/'.
func (s *Settings) Follows(prefix string) bool {
	if !s.config.local.raw.HasSection("remote") {
		return false
	}
	for _, remote := range s.config.local.raw.Section("remote").Subsections {
		for _, spec := range remote.Options.GetAll("fetch") {
			_, to, _ := strings.Cut(spec, ":")
			wide, pattern := strings.CutSuffix(to, "*")
			if strings.HasPrefix(to, prefix) || pattern && wide != "" && strings.HasPrefix(prefix, wide) {
				return true
			}
		}
	}
	return false
}
