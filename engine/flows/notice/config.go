package notice

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Target is one recipient: a command or a webhook.
type Target struct {
	Name string
	// Command is run without a shell, with the notice as JSON on standard input.
	Command []string
	// URL gets the notice by POST, signed with the content of SecretFile.
	URL        string
	SecretFile string
	// Events and For, when not empty, are all that the target wants: kinds of events,
	// and names of people or agents.
	Events []string
	For    []string
	// Workspaces, when not empty, are the ids of those that it is for.
	Workspaces []string
	// Timeout bounds one attempt.
	Timeout time.Duration
}

// Wants reports whether a target is to get a notice.
func (t Target) Wants(n Notice) bool {
	wanted := func(list []string, what string) bool { return len(list) == 0 || slices.Contains(list, what) }
	return wanted(t.Events, n.Event) && wanted(t.Workspaces, n.Workspace) &&
		(len(t.For) == 0 || slices.ContainsFunc(n.For, func(p Person) bool { return slices.Contains(t.For, p.Name) }))
}

type rawConfig struct {
	Targets []rawTarget `yaml:"targets"`
}

type rawTarget struct {
	Name       string              `yaml:"name"`
	Command    []string            `yaml:"command,omitempty"`
	URL        string              `yaml:"url,omitempty"`
	SecretFile string              `yaml:"secret_file,omitempty"`
	Events     []string            `yaml:"events,omitempty"`
	For        []string            `yaml:"for,omitempty"`
	Workspaces []string            `yaml:"workspaces,omitempty"`
	Timeout    capability.Duration `yaml:"timeout,omitempty"`
}

// The limits of a target's timeout, and the default.
const (
	usualTimeout = 10 * time.Second
	maxTimeout   = time.Minute
)

// Parse reads a notify.yaml strictly.
func Parse(file string, src []byte) ([]Target, diag.List) {
	doc, diags := strictyaml.Parse(file, src, 1, strictyaml.DefaultLimits())
	if diags.HasErrors() {
		return nil, diags
	}
	var raw rawConfig
	doc.Decode(&raw, &diags)
	var out []Target
	seen := map[string]bool{}
	for i, r := range raw.Targets {
		pos := doc.Pos("targets", i)
		complain := func(fix, format string, args ...any) { diags.Errorf(RuleTarget, pos, fix, format, args...) }
		if !targetName.MatchString(r.Name) || seen[r.Name] {
			complain("write name: with lower-case letters, digits and '-', each once", "%q is no name for a target, or is another one's", r.Name)
		}
		seen[r.Name] = true
		r.where(complain)
		for _, e := range r.Events {
			if !slices.Contains(Events(), e) {
				complain("use "+strings.Join(Events(), ", "), "%q is no event", e)
			}
		}
		t := Target{
			Name: r.Name, Command: r.Command, URL: r.URL, SecretFile: r.SecretFile, Events: r.Events, For: r.For,
			Workspaces: r.Workspaces, Timeout: time.Duration(r.Timeout),
		}
		if t.Timeout == 0 {
			t.Timeout = usualTimeout
		}
		if t.Timeout > maxTimeout {
			complain("write at most 1m", "%s is too long: commands of assent wait for it", t.Timeout)
		}
		out = append(out, t)
	}
	return out, diags
}

var targetName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// where checks the command or address of a target.
func (r rawTarget) where(complain func(fix, format string, args ...any)) {
	switch {
	case (len(r.Command) > 0) == (r.URL != ""):
		complain("write one of them", "a target has either a command or a url")
	case len(r.Command) > 0 && !absolute(r.Command[0]):
		complain("write its whole path", "the command %q is not an absolute path", r.Command[0])
	case len(r.Command) > 0 && r.SecretFile != "":
		complain("remove secret_file", "nothing is signed for a command")
	case r.URL == "":
	case r.SecretFile == "" || !absolute(r.SecretFile):
		complain("write secret_file: with the whole path of a file that holds a random text", "a webhook has no secret to sign with")
	case !safeURL(r.URL):
		complain("write https://…; http is for this machine only", "%q is no address that notices may be sent to", r.URL)
	}
}

// absolute accepts the absolute paths of any system, so the same file is valid or invalid
// everywhere.
func absolute(p string) bool {
	return path.IsAbs(p) || len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

func safeURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	return u.Scheme == "https" || u.Scheme == "http" && local
}
