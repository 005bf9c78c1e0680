package upstream

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/tree"
)

// File is the record's name in the folder of a capability.
const File = "upstream.yaml"

// IsFile reports whether a path in a capability's folder is a record, in any spelling that a file
// system may take for it.
func IsFile(inside string) bool { return names.Fold(inside) == File }

// Record says where an imported skill came from.
type Record struct {
	// Source is an address that git takes, or an absolute path of a folder.
	Source string `yaml:"source" json:"source"`
	// Ref is the branch, tag or commit; "" is the source's HEAD. Path is the skill's folder in it.
	Ref  string `yaml:"ref,omitempty" json:"ref"`
	Path string `yaml:"path,omitempty" json:"path"`
	// Commit is the commit that was taken; "" for a folder without Git.
	Commit string `yaml:"commit,omitempty" json:"commit"`
	// Tree is the Git tree of the files that were taken, as they were found.
	Tree string `yaml:"tree" json:"tree"`
}

const (
	maxRecord = 16 << 10
	maxText   = 1024
)

// Parse reads a record. The error names file and line.
func Parse(file string, src []byte) (Record, error) {
	var r Record
	lim := strictyaml.DefaultLimits()
	lim.Bytes = maxRecord
	doc, ds := strictyaml.Parse(file, src, 1, lim)
	if !ds.HasErrors() {
		doc.Decode(&r, &ds)
	}
	if ds.HasErrors() {
		return Record{}, errors.New(ds[0].String())
	}
	for _, f := range []struct {
		key string
		err error
	}{{"source", CheckSource(r.Source)}, {"ref", CheckRef(r.Ref)}, {"path", checkPath(r.Path)}, {"commit", checkHash(r.Commit, true)}, {"tree", checkHash(r.Tree, false)}} {
		if f.err != nil {
			return Record{}, fmt.Errorf("%s:%d: %s: %w", file, max(1, doc.ValuePos(f.key).Line), f.key, f.err)
		}
	}
	return r, nil
}

// Format writes a record.
func Format(r Record) ([]byte, error) { return strictyaml.Marshal(r) }

var (
	schemes = map[string]bool{"https": true, "http": true, "ssh": true, "git": true, "file": true}
	// scpLike is user@host:path, which git takes for ssh.
	scpLike = regexp.MustCompile(`^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):[^:].*$`)
	refName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}$`)
)

// CheckSource explains why an address cannot be recorded: it is none that git takes without
// starting a program, or it holds a login.
func CheckSource(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty; write the address of a git repository, or the absolute path of a folder")
	case !readable(s):
		return errors.New("it is too long, or has characters that cannot be seen")
	case strings.HasPrefix(s, "/") || len(s) > 2 && s[1:3] == `:\`:
		return nil
	case !strings.Contains(s, "://"):
		if scpLike.MatchString(s) && !strings.Contains(s, "::") {
			return nil
		}
		return errors.New("it is neither an address of a git repository nor an absolute path")
	}
	u, err := url.Parse(s)
	if err == nil && u.User != nil {
		if _, secret := u.User.Password(); secret || u.Scheme != "ssh" {
			return errors.New("it holds a login; leave it out, and give the login to git's credential helper")
		}
	}
	switch {
	case err != nil:
		return errors.New("it cannot be read as an address") // the text of err repeats it, with a login that it may hold
	case !schemes[u.Scheme]:
		return fmt.Errorf("%q is no protocol for a source; use https, http, ssh, git or file", u.Scheme)
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return errors.New("it has a query or a fragment, which may hold a login; leave it out")
	case (u.Scheme == "file") != (u.Host == ""):
		return errors.New("it names no host, or a host for a file")
	}
	return nil
}

// readable reports whether a text is short, and people can see all of it.
func readable(s string) bool {
	return len(s) <= maxText && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
	})
}

// CheckRef explains why a text is no branch, tag or commit.
func CheckRef(ref string) error {
	if ref == "" || refName.MatchString(ref) && names.IsRef("refs/heads/"+ref) {
		return nil
	}
	return errors.New("it is no name of a branch, a tag or a commit")
}

func checkPath(p string) error {
	switch {
	case p == "":
		return nil
	case !readable(p) || path.Clean("/"+p) != "/"+p:
		return errors.New("it is no path below the source's top folder, such as skills/parse-csv")
	}
	return nil
}

func checkHash(s string, none bool) error {
	if s == "" && none {
		return nil
	}
	if h, err := tree.ParseHash(s); err != nil || h.IsZero() {
		return errors.New("it is no Git object, 40 characters of 0-9 and a-f")
	}
	return nil
}

// IsFolder reports whether a source is a path of this machine, given as one.
func IsFolder(source string) bool {
	return !strings.Contains(source, "://") && !scpLike.MatchString(source)
}

// ByKey reports whether git reaches a source over ssh, with a key of the user.
func ByKey(source string) bool {
	return strings.HasPrefix(source, "ssh://") || !strings.Contains(source, "://") && !IsFolder(source)
}

// Near reports whether a source is on this machine, or in a network that outsiders cannot reach:
// what a record names there, its author may have had no right to read.
func Near(source string) bool {
	if !strings.Contains(source, "://") {
		m := scpLike.FindStringSubmatch(source)
		return m == nil || strings.HasPrefix(source, "/") || nearHost(m[1])
	}
	u, err := url.Parse(source)
	return err != nil || u.Scheme == "file" || nearHost(u.Hostname())
}

// shared reports whether an address is one of carriers' and overlay networks: 100.64.0.0/10 (RFC 6598).
func shared(ip netip.Addr) bool {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10).Contains(ip)
}

func nearHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() || shared(ip)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	// A number at the end is an address in a form that resolvers take and ParseAddr does not, such as 0x7f.1.
	return last == host || last == "localhost" || last == "lan" || last == "corp" || last == "arpa" || last == "local" || last == "internal" || last == "" || last[0] >= '0' && last[0] <= '9'
}
