package begin

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/cli/console"
)

// isFolder reports whether an address is a folder of this machine.
func isFolder(dir, from string) bool {
	if !filepath.IsAbs(from) {
		from = filepath.Join(dir, from)
	}
	info, err := os.Stat(from)
	return err == nil && info.IsDir()
}

// helper matches an address that makes Git run a program as transport.
var helper = regexp.MustCompile(`^[A-Za-z0-9+.-]+::`)

// checkAddress refuses an address that Git would take for an option or a program.
func checkAddress(from string) error {
	switch {
	case from == "" || strings.HasPrefix(from, "-"):
		return console.Usage("%q is no address to clone from", from)
	case strings.ContainsFunc(from, unicode.IsControl):
		return console.Usage("%q holds a control character", from)
	case helper.MatchString(from):
		return console.Usage("%q names a program as transport; use a path, file://, ssh or https", from)
	}
	return nil
}

// folderFor is the folder that git clone would choose.
func folderFor(from string) string {
	separators := "/"
	if filepath.Separator != '/' {
		separators += string(filepath.Separator)
	}
	from = strings.TrimRight(from, separators)
	from = strings.TrimSuffix(strings.TrimSuffix(from, "/.git"), ".git")
	from = from[strings.LastIndexAny(from, separators+":")+1:]
	if from == "." || from == ".." {
		return ""
	}
	return from
}

// redacted is an address without the password that may stand in it.
func redacted(from string) string {
	u, err := url.Parse(from)
	if err != nil || u.User == nil {
		return from
	}
	return u.Redacted()
}
