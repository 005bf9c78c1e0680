package gitrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Checkout runs git on the index and the files of one worktree without the
// configuration of the repository, and without that of its user. Both may define filters
// (clean, smudge, process), which the repository's attributes would choose. Git takes the
// settings of a repository from its common folder. A checkout gives it a private one,
// which holds copies of the settings in [carried]. A setting that is changed meanwhile
// does not count, so that no check can be outrun.
//
// Attributes count as ever: text, eol, ident and working-tree-encoding are git's own
// conversions. filter=… names a filter that does not exist here, which converts nothing.
type Checkout struct {
	root, gitDir, commonDir string
	private                 string // the common folder that git sees
}

// carried are the settings that say what files look like on disk and what an index looks
// like. None of them names a program or a file.
var carried = []string{
	"core.autocrlf", "core.eol", "core.checkroundtripencoding", "core.filemode", "core.symlinks", "core.ignorecase",
	"core.precomposeunicode", "core.protecthfs", "core.protectntfs", "core.longpaths", "core.trustctime", "core.checkstat",
	"core.sharedrepository", "core.bigfilethreshold", "core.sparsecheckout", "core.sparsecheckoutcone", "core.splitindex",
	"core.untrackedcache", "core.preloadindex", "index.sparse", "index.version", "index.threads", "index.skiphash",
	"splitindex.maxpercentchange", "splitindex.sharedindexexpire", "feature.manyfiles",
}

// maxAttributes bounds the repository's info/attributes. Git itself reads 100 MB.
const maxAttributes = 1 << 20

// OpenCheckout prepares a worktree: its folder, its Git folder, and the one that it
// shares with others. Close it.
func OpenCheckout(ctx context.Context, root, gitDir, commonDir string) (*Checkout, error) {
	settings, err := Settings(ctx, Call{Dir: root, GitDir: gitDir})
	if err != nil {
		return nil, err
	}
	private, err := os.MkdirTemp("", "assent-checkout-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for git: %w", err)
	}
	c := &Checkout{root: root, gitDir: gitDir, commonDir: commonDir, private: private}
	if err := c.furnish(settings); err != nil {
		return nil, errors.Join(fmt.Errorf("making a folder for git: %w", err), c.Close())
	}
	return c, nil
}

// Close removes what OpenCheckout made.
func (c *Checkout) Close() error { return os.RemoveAll(c.private) }

// furnish makes the private folder a common folder of git.
func (c *Checkout) furnish(settings []Setting) error {
	for _, dir := range []string{"refs", "info", "objects"} {
		if err := os.Mkdir(filepath.Join(c.private, dir), 0o700); err != nil {
			return err
		}
	}
	attributes, err := readRegular(filepath.Join(c.commonDir, "info", "attributes"), maxAttributes)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(c.private, "info", "attributes"), attributes, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.private, "config"), []byte(configuration(settings)), 0o600)
}

// configuration is a file with the carried settings, and the human's own attributes.
func configuration(settings []Setting) string {
	values := map[string]string{}
	var keys []string
	for _, s := range settings {
		if slices.Contains(carried, s.Key) || s.Key == "core.attributesfile" && s.own() {
			if _, known := values[s.Key]; !known {
				keys = append(keys, s.Key)
			}
			values[s.Key] = s.Value
		}
	}
	var b strings.Builder
	b.WriteString("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
	for _, key := range keys {
		section, name, _ := strings.Cut(key, ".")
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(values[key])
		fmt.Fprintf(&b, "[%s]\n\t%s = \"%s\"\n", section, name, value)
	}
	return b.String()
}

// Run runs git there.
func (c *Checkout) Run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	cmd, err := command(ctx, Call{Dir: c.root, Args: args})
	if err != nil {
		return nil, err
	}
	// The human's own files define filters, too: git lfs install does so.
	cmd.Env = without(cmd.Env, func(name string) bool {
		return name == "GIT_CONFIG_PARAMETERS" || name == "GIT_CONFIG_COUNT" || strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
	})
	cmd.Env = append(cmd.Env,
		"GIT_DIR="+c.gitDir, "GIT_WORK_TREE="+c.root, "GIT_OBJECT_DIRECTORY="+filepath.Join(c.commonDir, "objects"))
	//defence:checkouts-read-no-configuration
	cmd.Env = append(cmd.Env, "GIT_COMMON_DIR="+c.private,
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := output(ctx, cmd, stdin, args[0])
	if err != nil {
		return out, fmt.Errorf("in %s: %w", c.root, err)
	}
	return out, nil
}

// readRegular reads a regular file up to a bound; one that is missing is empty.
func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
		return readRegular(path, limit)
	case !info.Mode().IsRegular() || info.Size() > limit:
		return nil, fmt.Errorf("%s is no regular file of at most %d bytes", path, limit)
	}
	return os.ReadFile(path)
}
