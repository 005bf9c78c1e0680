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

	"github.com/assent-dev/assent/engine/base/tempdir"
)

// Checkout runs git on the index and files of one worktree without the configuration of the
// repository or of its user. Both may define filters (clean, smudge, process), which the
// repository's attributes would select. Git reads a repository's settings from its common
// folder, so a checkout uses a private common folder with copies of the settings in [copiedSettings].
// A setting that changes meanwhile has no effect, so a check cannot be outrun.
//
// Attributes apply as usual: text, eol, ident and working-tree-encoding are git's own
// conversions. filter=… names a filter that is not defined here and so converts nothing.
type Checkout struct {
	root, gitDir, commonDir string
	private                 string // the common folder for git
}

// copiedSettings lists the settings that determine the form of files on disk and of the index. None of
// them names a program or a file.
var copiedSettings = []string{
	"core.autocrlf", "core.eol", "core.checkroundtripencoding", "core.filemode", "core.symlinks", "core.ignorecase",
	"core.precomposeunicode", "core.protecthfs", "core.protectntfs", "core.longpaths", "core.trustctime", "core.checkstat",
	"core.sharedrepository", "core.bigfilethreshold", "core.sparsecheckout", "core.sparsecheckoutcone", "core.splitindex",
	"core.untrackedcache", "core.preloadindex", "index.sparse", "index.version", "index.threads", "index.skiphash",
	"splitindex.maxpercentchange", "splitindex.sharedindexexpire", "feature.manyfiles",
}

// maxAttributes bounds the size of the repository's info/attributes. Git itself reads 100 MB.
const maxAttributes = 1 << 20

// OpenCheckout prepares a worktree, given its folder, its Git folder and its common folder. The
// caller must Close it.
func OpenCheckout(ctx context.Context, root, gitDir, commonDir string) (*Checkout, error) {
	settings, err := Settings(ctx, Call{Dir: root, GitDir: gitDir})
	if err != nil {
		return nil, err
	}
	private, err := tempdir.Make("checkout")
	if err != nil {
		return nil, fmt.Errorf("making a folder for git: %w", err)
	}
	c := &Checkout{root: root, gitDir: gitDir, commonDir: commonDir, private: private}
	if err := c.writePrivate(settings); err != nil {
		return nil, errors.Join(fmt.Errorf("making a folder for git: %w", err), c.Close())
	}
	return c, nil
}

// Close removes the private folder.
func (c *Checkout) Close() error { return os.RemoveAll(c.private) }

// writePrivate fills the private folder as a common folder.
func (c *Checkout) writePrivate(settings []Setting) error {
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

// configuration returns a configuration file with the copied settings and the user's own
// attributes file.
func configuration(settings []Setting) string {
	values := map[string]string{}
	var keys []string
	for _, s := range settings {
		if slices.Contains(copiedSettings, s.Key) || s.Key == "core.attributesfile" && s.fromUser() {
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

// Run runs git in the checkout.
func (c *Checkout) Run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	cmd, err := command(ctx, Call{Dir: c.root, Args: args})
	if err != nil {
		return nil, err
	}
	// The user's own files may define filters, too: git lfs install does so.
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

// readRegular reads a regular file of at most limit bytes; a missing one is empty.
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
