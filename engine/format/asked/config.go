package asked

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
)

// The names in the user's own folder.
const (
	OpinionFile = "opinion.yaml"
	DrafterFile = "drafter.yaml"
)

// Config is who is asked: a program, or a model behind an address.
type Config struct {
	// Command is run without a shell, with the question as JSON on standard input.
	Command []string
	// URL and Model are those of an OpenAI-compatible endpoint; KeyFile holds what goes
	// into the Authorization header, and may be empty.
	URL, Model, KeyFile string
	// Workspaces, when not empty, are the ids of those that it is for.
	Workspaces []string
	// Timeout bounds one question.
	Timeout time.Duration
}

// For reports whether somebody is asked about proposals of a workspace.
func (c Config) For(workspace string) bool {
	return len(c.Workspaces) == 0 || slices.Contains(c.Workspaces, workspace)
}

// Asked names who is asked, for a record: no folder and no argument of a command, which
// concern nobody else, and of an address the host alone.
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

// The bound of a timeout.
const maxTimeout = 10 * time.Minute

// usualTimeout is what stands for no timeout: to write code takes longer than to judge it.
func usualTimeout(file string) time.Duration {
	if file == DrafterFile {
		return 5 * time.Minute
	}
	return time.Minute
}

// maxName bounds what Asked says, in bytes.
const maxName = 512

func phrase(text string) string { return canonical.Phrase(text, maxName) }

// Parse reads one of the files strictly; file is its name.
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
		complain("command", "write one of them", "either a command or a url is asked")
	case len(raw.Command) > 0 && !absolute(raw.Command[0]):
		complain("command", "write its whole path", "the command %q is not an absolute path", raw.Command[0])
	case len(raw.Command) > 0 && (raw.Model != "" || raw.KeyFile != ""):
		complain("command", "remove model and key_file", "a command has no model and no key")
	case raw.URL != "" && !safeURL(raw.URL):
		complain("url", "write https://…; http is for this machine only", "%q is no address that proposals may be sent to", raw.URL)
	case raw.URL != "" && raw.Model == "":
		complain("url", "write model: with the name that the address knows it by", "a url has no model")
	case raw.KeyFile != "" && !absolute(raw.KeyFile):
		complain("key_file", "write its whole path", "the file %q is not an absolute path", raw.KeyFile)
	}
	out := Config{
		Command: raw.Command, URL: raw.URL, Model: raw.Model, KeyFile: raw.KeyFile, Workspaces: raw.Workspaces, Timeout: time.Duration(raw.Timeout),
	}
	if out.Timeout == 0 {
		out.Timeout = usualTimeout(file)
	}
	if out.Timeout < 0 || out.Timeout > maxTimeout {
		complain("timeout", "write at most 10m", "%s is too long: commands of assent wait for it", out.Timeout)
	}
	return out, diags
}

// absolute takes the absolute paths of any system, so that the same file is right or
// wrong everywhere.
func absolute(p string) bool {
	return path.IsAbs(p) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

func safeURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.RawQuery != "" {
		return false
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	return u.Scheme == "https" || u.Scheme == "http" && local
}
