package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/sandbox/runtime"
)

// serverFile has the fields of a server.json (2025-12-11) that are read.
type serverFile struct {
	Packages []serverPackage `json:"packages"`
	Remotes  []serverRemote  `json:"remotes"`
}

// serverRemote is an address at which the server is.
type serverRemote struct {
	Type    string           `json:"type"`
	URL     string           `json:"url"`
	Headers []serverArgument `json:"headers"`
}

// readServer reads the server.json among the files of a capability.
func readServer(name string, spec sandbox.Spec) (file serverFile, err error) {
	if err := json.Unmarshal(spec.Files[capability.ServerFile].Data, &file); err != nil {
		return file, refuse(NotCallable, "assent cat "+names.ShellWord(name)+"/"+capability.ServerFile, "%s of %s cannot be read: %v", capability.ServerFile, name, err)
	}
	return file, nil
}

type serverPackage struct {
	RegistryType string           `json:"registryType"`
	Identifier   string           `json:"identifier"`
	Version      string           `json:"version"`
	Arguments    []serverArgument `json:"packageArguments"`
}

type serverArgument struct {
	Type  string `json:"type"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// words returns the words that an argument adds to a command line.
func (a serverArgument) words() ([]string, bool) {
	switch {
	case strings.Contains(a.Value, "{"): // a variable that a person would have to fill in
		return nil, false
	case a.Type == "positional" && a.Value != "":
		return []string{a.Value}, true
	case a.Type == "named" && a.Name != "" && a.Value == "":
		return []string{a.Name}, true
	case a.Type == "named" && a.Name != "":
		return []string{a.Name, a.Value}, true
	}
	return nil, false
}

// server is how a server is started: by its own entry, or from its package, which
// was installed beforehand and is only read.
func (m machine) server(j job) (sandbox.Spec, error) {
	spec, err := m.spec(j)
	if err != nil {
		return spec, err
	}
	c := j.capability
	if entry := c.Record.Run.Entry; entry != "" {
		rt, ok := runtime.Of(entry)
		if !ok {
			return spec, refuse(NotCallable, "name it .py, .js, .mjs or .sh", "nothing runs the entry %s of %s", entry, c.Name)
		}
		spec.Args = rt.Args(entry)
		return spec, nil
	}
	file, err := readServer(c.Name, spec)
	if err != nil {
		return spec, err
	}
	if len(file.Packages) == 0 {
		return spec, refuse(NotAvailable, "add run.entry, or a package from npm", "%s names no package that could be started", c.Name)
	}
	p := file.Packages[0]
	dir, program, err := m.installed(c.Name, p)
	if err != nil {
		return spec, err
	}
	spec.Readable = []string{dir}
	rt, _ := runtime.Named(string(capability.Node))
	spec.Args = rt.Args(program)
	for _, a := range p.Arguments {
		words, ok := a.words()
		if !ok {
			return spec, refuse(NotAvailable, "give the argument a fixed value", "%s has an argument without a value", c.Name)
		}
		spec.Args = append(spec.Args, words...)
	}
	return spec, nil
}

// The shapes of values that become part of a path.
var (
	npmName      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`) })
	exactVersion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.-]+)?$`) })
)

// installed finds a package in the user's folder, and the program that it has.
func (m machine) installed(name string, p serverPackage) (dir, program string, err error) {
	switch {
	case p.RegistryType != "npm":
		return "", "", refuse(NotAvailable, "add run.entry with a server of its own", "%s comes from %q; this version starts packages from npm only", name, p.RegistryType)
	case !npmName().MatchString(p.Identifier) || !exactVersion().MatchString(p.Version):
		return "", "", refuse(NotAvailable, "name the package and its exact version", "%s names no package of one version: %q %q", name, p.Identifier, p.Version)
	}
	dir = filepath.Join(m.packages, "npm", strings.ReplaceAll(p.Identifier, "/", "+")+"@"+p.Version)
	if dir, err = filepath.EvalSymlinks(dir); errors.Is(err, fs.ErrNotExist) {
		dir = filepath.Join(m.packages, "npm", strings.ReplaceAll(p.Identifier, "/", "+")+"@"+p.Version)
		return "", "", refuse(NotAvailable, fmt.Sprintf("npm install --ignore-scripts --prefix %s %s@%s", dir, p.Identifier, p.Version),
			"the package %s@%s is not installed here, and nothing is fetched by a call", p.Identifier, p.Version)
	} else if err != nil {
		return "", "", fmt.Errorf("look for the package %s: %w", p.Identifier, err)
	}
	root := filepath.Join(dir, "node_modules", filepath.FromSlash(p.Identifier))
	data, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return "", "", fmt.Errorf("read what the package %s is: %w", p.Identifier, err)
	}
	bin, err := binOf(data, p)
	if err != nil {
		return "", "", err
	}
	return dir, filepath.Join(root, filepath.FromSlash(bin)), nil
}

// binOf reads which file of a package is its program.
func binOf(data []byte, p serverPackage) (string, error) {
	var described struct {
		Version string          `json:"version"`
		Bin     json.RawMessage `json:"bin"`
	}
	if err := json.Unmarshal(data, &described); err != nil {
		return "", fmt.Errorf("read what the package %s is: %w", p.Identifier, err)
	}
	if described.Version != p.Version {
		return "", refuse(NotAvailable, "install the version that server.json names", "the package %s is installed in version %s, not %s", p.Identifier, described.Version, p.Version)
	}
	var one string
	if json.Unmarshal(described.Bin, &one) != nil {
		var several map[string]string
		if err := json.Unmarshal(described.Bin, &several); err != nil || len(several) != 1 {
			return "", refuse(NotAvailable, "", "the package %s has not one program", p.Identifier)
		}
		for _, file := range several {
			one = file
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(one)) {
		return "", refuse(NotAvailable, "", "the package %s has a program outside of itself", p.Identifier)
	}
	return one, nil
}

// decode reads JSON as plain data; numbers keep their digits.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return v, nil
}
