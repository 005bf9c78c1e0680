package advice

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Names of the configuration files in the user's own folder.
const (
	OpinionFile = "opinion.yaml"
	DrafterFile = "drafter.yaml"
)

// Config names the program or the model to ask.
type Config struct {
	// Command is run without a shell, with the question as JSON on standard input.
	Command []string
	// URL and Model select an OpenAI-compatible endpoint. KeyFile names a file with the
	// key for the Authorization header; it may be empty.
	URL, Model, KeyFile string
	// Workspaces are the ids of the workspaces that may ask; empty means all.
	Workspaces []string
	// Timeout bounds one question.
	Timeout time.Duration
}

// For reports whether c applies to the workspace.
func (c Config) For(workspace string) bool {
	return len(c.Workspaces) == 0 || slices.Contains(c.Workspaces, workspace)
}

// Asked returns the name of the program or model for a record. It leaves out private
// details: a command's folder and arguments, and everything of the URL except its host.
func (c Config) Asked() string {
	if len(c.Command) > 0 {
		return phrase(path.Base(strings.ReplaceAll(c.Command[0], `\`, "/")))
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return phrase(c.Model)
	}
	return phrase(c.Model + " at " + u.Host)
}

type rawConfig struct {
	Command    []string            `yaml:"command,omitempty"`
	URL        string              `yaml:"url,omitempty"`
	Model      string              `yaml:"model,omitempty"`
	KeyFile    string              `yaml:"key_file,omitempty"`
	Workspaces []string            `yaml:"workspaces,omitempty"`
	Timeout    capability.Duration `yaml:"timeout,omitempty"`
}

// maxTimeout is the largest timeout that a file may set.
const maxTimeout = 10 * time.Minute

// usualTimeout returns the default timeout. Writing code takes longer than judging it.
func usualTimeout(file string) time.Duration {
	if file == DrafterFile {
		return 5 * time.Minute
	}
	return time.Minute
}

// Parse reads a configuration file strictly. file is its name: OpinionFile or DrafterFile.
func Parse(file string, src []byte) (Config, diag.List) {
	doc, diags := strictyaml.Parse(file, src, 1, strictyaml.DefaultLimits())
	if diags.HasErrors() {
		return Config{}, diags
	}
	var raw rawConfig
	doc.Decode(&raw, &diags)
	complain := func(key, fix, format string, args ...any) {
		diags.Errorf(RuleConfig, doc.Pos(key), fix, format, args...)
	}
	switch {
	case (len(raw.Command) > 0) == (raw.URL != ""):
		complain("command", "keep one of them", "set either command or url")
	case len(raw.Command) > 0 && !absolute(raw.Command[0]):
		complain("command", "write its whole path", "the command %q is not an absolute path", raw.Command[0])
	case len(raw.Command) > 0 && (raw.Model != "" || raw.KeyFile != ""):
		complain("command", "remove model and key_file", "a command takes no model and no key_file")
	case raw.URL != "" && !SafeURL(raw.URL):
		complain("url", "write https://…; http is for this machine only", "proposals must not be sent to %q", raw.URL)
	case raw.URL != "" && raw.Model == "":
		complain("url", "add model: with the name that the service uses for it", "url needs a model")
	case raw.KeyFile != "" && !absolute(raw.KeyFile):
		complain("key_file", "write its whole path", "the key file %q is not an absolute path", raw.KeyFile)
	}
	out := Config{
		Command: raw.Command, URL: raw.URL, Model: raw.Model, KeyFile: raw.KeyFile, Workspaces: raw.Workspaces, Timeout: time.Duration(raw.Timeout),
	}
	if out.Timeout == 0 {
		out.Timeout = usualTimeout(file)
	}
	if out.Timeout < 0 || out.Timeout > maxTimeout {
		complain("timeout", "write at most 10m", "a timeout of %s is out of range: assent commands wait that long", out.Timeout)
	}
	return out, diags
}

// absolute accepts absolute paths of every operating system, so that a file is valid
// everywhere or nowhere.
func absolute(p string) bool {
	return path.IsAbs(p) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// SafeURL reports whether texts may be sent to an address: https, or http on this machine.
func SafeURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.RawQuery != "" {
		return false
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	return u.Scheme == "https" || u.Scheme == "http" && local
}
