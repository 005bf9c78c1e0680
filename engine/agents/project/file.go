package project

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// File is the name of the file at the top of a project that names its workspaces.
const File = ".assent.yaml"

// MaxFile bounds its size, in bytes.
const MaxFile = 64 << 10

// rulePlace is the rule of diagnostics about File.
const rulePlace = "project-workspace"

// Place is where a workspace is.
type Place struct {
	// Path is the folder of its clone, with slashes, from the top of the project unless absolute. Where
	// it is empty, the folder is beside the project and has the name that git clone would choose.
	Path string `yaml:"path,omitempty"`
	// URL is the address that it can be cloned from.
	URL string `yaml:"url,omitempty"`
}

type file struct {
	Workspaces []Place `yaml:"workspaces"`
}

// Parse reads File. The places are in the order in which they are tried.
func Parse(src []byte) ([]Place, diag.List) {
	doc, ds := strictyaml.Parse(File, src, 1, strictyaml.DefaultLimits())
	if ds.HasErrors() {
		return nil, ds
	}
	var raw file
	doc.Decode(&raw, &ds)
	if len(raw.Workspaces) == 0 && !ds.HasErrors() {
		ds.Errorf(rulePlace, doc.Pos("workspaces"), "add one: - path: ../agents", "the file names no workspace")
	}
	for i := range raw.Workspaces {
		p := &raw.Workspaces[i]
		if p.Path == "" && p.URL != "" {
			p.Path = beside(p.URL)
		}
		if wrong := p.wrong(); wrong != "" {
			ds.Errorf(rulePlace, doc.Pos("workspaces", i), "give the folder of a clone as path, or the address of a remote as url, or both", "%s", wrong)
		}
	}
	return raw.Workspaces, ds
}

// transport matches an address whose transport is a program.
var transport = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)

func (p Place) wrong() string {
	switch u, err := url.Parse(p.URL); {
	case p.Path == "":
		return "the place has no path, and its url ends in no name"
	case strings.ContainsFunc(p.Path+p.URL, unicode.IsControl):
		return "the place contains a control character"
	case strings.HasPrefix(p.URL, "-"), transport.MatchString(p.URL):
		return "the url is no address of a remote"
	case err == nil && u.User != nil && (u.Scheme != "ssh" || hasPassword(u)):
		return "the url contains a login, which a shared file must not"
	}
	return ""
}

func hasPassword(u *url.URL) bool {
	_, has := u.User.Password()
	return has
}

// beside is the folder next to the project that has the last name of an address.
func beside(address string) string {
	name := strings.TrimSuffix(strings.TrimRight(address, "/"), ".git")
	name = name[strings.LastIndexAny(name, `/\:`)+1:]
	if strings.Trim(name, ".") == "" {
		return ""
	}
	return "../" + name
}

// Dir is the folder of the clone.
func (p Place) Dir(top string) string { return under(top, p.Path) }

// Propose returns a File for a project that works with the workspace in a repository. It is nil if
// others would find neither: the folder, if it is not below or beside the project, nor the remote.
func Propose(top string, repo *gitstore.Repo) []byte {
	p := Place{URL: address(repo.Config("remote.origin.url"))}
	if rel, err := filepath.Rel(top, repo.Top()); err == nil {
		if rel = filepath.ToSlash(rel); filepath.IsLocal(rel) || path.Dir(rel) == ".." {
			p.Path = rel
		}
	}
	text, err := strictyaml.Marshal(file{[]Place{p}})
	if err != nil {
		return nil
	}
	if _, ds := Parse(text); ds.HasErrors() {
		return nil
	}
	return fmt.Appendf(nil, "# Where this project's skills and tools are. assent connect reads this.\n%s", text)
}

// scpLike matches user@host:path, which is no URL.
var scpLike = regexp.MustCompile(`^[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:[^/]`)

// address returns the address of a remote without a login; "" if other machines cannot reach it.
func address(remote string) string {
	u, err := url.Parse(remote)
	switch {
	case scpLike.MatchString(remote):
		return remote
	case err != nil, u.Host == "", u.Scheme == "file":
		return ""
	case u.Scheme == "ssh" && u.User != nil:
		u.User = url.User(u.User.Username())
	default:
		u.User = nil
	}
	return u.String()
}
