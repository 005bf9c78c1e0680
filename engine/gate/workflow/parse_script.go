package workflow

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox/runtime"
)

// Script is the program of a job with `run:`, which runs in the sandbox.
type Script struct {
	// Runtime is one of package sandbox/runtime, Text its input.
	Runtime, Text string
	// Files are patterns of the paths that the script sees; none is the whole tree.
	Files []string
	// Hosts are those that it may reach if the policy admits them too, as host:port. Secrets
	// are the names of secrets that it gets.
	Hosts, Secrets []string
	// Timeout bounds its duration, Memory the bytes of each of its processes; 0 is the
	// sandbox's default.
	Timeout time.Duration
	Memory  int64
	// Env is part of its environment.
	Env map[string]string
	// Outputs are the values that the last line of its output has.
	Outputs []Output
	// Artifacts are patterns of the files that are kept for other jobs.
	Artifacts []string
}

// Output is one declared value: a string, a number or a boolean.
type Output struct{ Name, Type string }

// The bounds of a script. Its text is an argument of its interpreter, which Linux bounds.
const (
	maxScript        = 64 << 10
	usualScriptTime  = time.Minute
	longestScript    = time.Hour
	mostScriptMemory = 8 << 30
)

// Refused returns the hosts of a job's script that a policy does not admit.
func (j Job) Refused(p policy.Policies) []string {
	if j.Script == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(j.Script.Hosts), p.Security.AdmitsHost)
}

func scriptKeys() []string {
	return []string{
		"run", "needs", "if", "runtime", "files", "hosts", "secrets", "timeout", "memory", "env", "outputs", "artifacts", "retries", "continue-on-error", "matrix",
	}
}

func (p *jobParser) script(n strictyaml.Node, j *Job) {
	s := &Script{Runtime: "bash", Timeout: usualScriptTime}
	j.Script = s
	text := n.Get("run")
	var ok bool
	if kind := text.Kind(); kind != strictyaml.Scalar {
		p.diags.Errorf(RuleShape, text.Pos(), "write run: |, and the lines of the script below it, indented further", "run must be the text of a script, not %s", kind)
	} else if s.Text, ok = p.text(text, "run"); ok && (strings.TrimSpace(s.Text) == "" || len(s.Text) > maxScript || strings.ContainsRune(s.Text, 0) || !utf8.ValidString(s.Text)) {
		p.diags.Errorf(RuleRun, text.Pos(), "write the script's text below run: |, at most 64 KiB", "no script: %d bytes", len(s.Text))
	}
	if p.expressionless(text, s.Text, "") {
		p.unfilled(text, s.Text, "", p.inputs...)
	}
	if rt := n.Get("runtime"); rt.Kind() != strictyaml.Absent {
		if s.Runtime, ok = p.text(rt, "runtime"); ok && !slices.Contains(runtimes(), s.Runtime) {
			p.diags.Errorf(RuleRun, rt.Pos(), suggest(s.Runtime, runtimes(), "use one of "), "there is no runtime %s", quote(s.Runtime))
		}
	}
	s.Files = p.listed(n.Get("files"), "files", "a path from the workspace's root; * matches within a segment, ** any number of segments", isPattern)
	s.Hosts = p.listed(n.Get("hosts"), "hosts", "host:port such as api.example.com:443", capability.IsHost)
	s.Secrets = p.listed(n.Get("secrets"), "secrets", "a name such as API_TOKEN", capability.IsSecret)
	p.bounds(n, s)
	s.Env = p.env
	if own := p.readEnv(n.Get("env")); len(own) > 0 {
		s.Env = maps.Clone(p.env)
		if s.Env == nil {
			s.Env = own
		}
		maps.Copy(s.Env, own)
	}
	for _, name := range s.Secrets {
		if _, twice := s.Env[name]; twice {
			p.diags.Errorf(RuleRun, j.Pos, "rename one of them", "%s is a secret and in env", quote(name))
		}
	}
	s.Outputs = p.outputs(n.Get("outputs"))
	p.artifacts(n.Get("artifacts"), s)
}

// artifacts reads which files a script makes. Files are not redacted, as output is.
func (p *reader) artifacts(n strictyaml.Node, s *Script) {
	s.Artifacts = p.listed(n, "artifacts", "a path below $ASSENT_ARTIFACTS; * matches within a segment, ** any number of segments", isPattern)
	switch {
	case len(s.Artifacts) == 0:
	case s.Runtime != "bash":
		p.diags.Errorf(RuleRun, n.Pos(), "use runtime: bash, and call "+s.Runtime+" in it", "only scripts for bash have artifacts")
	case len(s.Secrets) > 0:
		p.diags.Errorf(RuleRun, n.Pos(), "make them in a job without secrets", "a script with secrets has no artifacts: they could hold the secrets")
	case slices.ContainsFunc(s.Outputs, func(o Output) bool { return strings.EqualFold(o.Name, artifactsFact) }):
		p.diags.Errorf(RuleRun, n.Pos(), "rename the output", "an output called %s would be the variable of the artifacts", artifactsFact)
	}
}

// isPattern reports whether a pattern can match a path: /x, ../x and ./x match none.
func isPattern(s string) bool { return policy.CheckPattern(s) == nil && fs.ValidPath(s) && s != "." }

// artifactsFact is the last part of the variable with the folder of a needed job's artifacts.
const artifactsFact = "artifacts"

// listed reads a list of words that all have a shape.
func (p *reader) listed(n strictyaml.Node, field, shape string, is func(string) bool) []string {
	out := p.list(n, field, maxList)
	for i, word := range out {
		if pos := n.Pos(); !is(word) || slices.Contains(out[:i], word) {
			if n.Kind() == strictyaml.Sequence {
				pos = n.Index(i).Pos()
			}
			p.diags.Errorf(RuleRun, pos, "write "+shape+", each once", "%s cannot be among %s", quote(word), field)
		}
	}
	return out
}

func (p *reader) bounds(n strictyaml.Node, s *Script) {
	if at := n.Get("timeout"); at.Kind() != strictyaml.Absent {
		var d capability.Duration
		if p.decode(at, "timeout", &d) && (time.Duration(d) < time.Second || time.Duration(d) > longestScript) {
			p.diags.Errorf(RuleRun, at.Pos(), "write it as 30s or 10m", "timeout must be between a second and an hour")
		}
		s.Timeout = time.Duration(d)
	}
	if at := n.Get("memory"); at.Kind() != strictyaml.Absent {
		var size capability.Size
		if p.decode(at, "memory", &size) && size > mostScriptMemory {
			p.diags.Errorf(RuleRun, at.Pos(), "write it as 512MiB", "memory must be at most 8GiB")
		}
		s.Memory = int64(size)
	}
}

func runtimes() []string {
	var out []string
	for _, r := range runtime.All() {
		out = append(out, r.Name)
	}
	return out
}

// secretsApart refuses secrets in a workflow whose scripts can read unapproved content: a
// script that runs such content would give it the secrets.
func (p *parser) secretsApart(w Workflow) {
	why := ""
	for _, event := range w.On.Proposal {
		if event != ProposalMerged {
			why = fmt.Sprintf("%s is about a proposal", event)
		}
	}
	for _, j := range w.Jobs {
		if len(j.Deliver)+len(j.May) > 0 {
			why = fmt.Sprintf("job %s makes a proposal", quote(j.Name))
		}
	}
	for _, j := range w.Jobs {
		if why != "" && j.Script != nil && len(j.Script.Secrets) > 0 {
			p.diags.Errorf(RuleRun, j.Pos, "use them in a workflow on a schedule, a command or proposal.merged, which sees what is in force",
				"job %s would have secrets while it reads content that is not approved: %s", quote(j.Name), why)
		}
	}
}
