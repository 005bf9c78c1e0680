package actions

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Options are the variable parts of the files.
type Options struct {
	// Engine is the full name of the commit of assent's repository that the workflows run,
	// and Version its version.
	Engine, Version string
	// Owners are the logins that must review changes of how proposals are judged. Without
	// them, no file of code owners is made.
	Owners []string
	// Guarded are folders of the workspace that are guarded beside those that every
	// workspace has.
	Guarded []string
	// App is the number of the GitHub App that acts for the engine, or zero. Then only its
	// status counts, and it may push to main.
	App int64
}

// Folder is the folder of the files.
const Folder = ".github"

// The files that are no workflows.
const (
	CodeOwnersFile  = Folder + "/CODEOWNERS"
	RulesetFile     = Folder + "/rulesets/main.json"
	PullRequestFile = Folder + "/pull_request_template.md"
)

//go:embed templates
var templates embed.FS

// placeholder is replaced in the templates by the commit and the version of the engine.
const placeholder = "@ENGINE # VERSION"

// Compiled when they are first asked for, like account.
var (
	commitName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })
	version    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z.+-]{1,64}$`) })
)

// IsCommit reports whether a name is that of one commit, which can never be another.
func IsCommit(name string) bool { return commitName().MatchString(name) }

// IsWorkflow reports whether a path is that of a workflow.
func IsWorkflow(path string) bool { return strings.HasPrefix(path, Folder+"/workflows/") }

// IsOurs reports whether a workflow is of this package, in whichever version: it runs the
// engine, or nothing at all for the inbox.
func IsOurs(text []byte) bool {
	return bytes.Contains(text, []byte("assent-dev/assent")) || bytes.Contains(text, []byte(`["inbox/**"]`))
}

// Files returns all files, by path.
func Files(o Options) ([]tree.Edit, error) {
	if !IsCommit(o.Engine) {
		return nil, fmt.Errorf("%q is no full name of a commit", o.Engine)
	}
	if !version().MatchString(o.Version) {
		return nil, fmt.Errorf("%q is no version", o.Version)
	}
	workflows, err := templates.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("read the built-in workflows: %w", err)
	}
	var out []tree.Edit
	for _, f := range workflows {
		text, err := templates.ReadFile("templates/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read the built-in workflows: %w", err)
		}
		path := Folder + "/workflows/" + f.Name()
		if f.Name() == "pull_request_template.md" {
			path = PullRequestFile
		}
		pinned := strings.ReplaceAll(string(text), placeholder, "@"+o.Engine+" # v"+o.Version)
		out = append(out, tree.Edit{Path: path, Content: []byte(pinned)})
	}
	rules, err := ruleset(o.App, len(o.Owners))
	if err != nil {
		return nil, err
	}
	out = append(out, tree.Edit{Path: RulesetFile, Content: rules})
	if owners := codeOwners(o.Owners, o.Guarded); owners != nil {
		out = append(out, tree.Edit{Path: CodeOwnersFile, Content: owners})
	}
	order.Sort(out, func(a, b tree.Edit) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}
