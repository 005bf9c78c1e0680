package begin

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-dev/assent"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// workflowWord is what `assent new` calls a workflow.
const workflowWord = "workflow"

// workflowTemplates are what a workflow can be begun from. Those with a file are the shipped
// workflows.
func workflowTemplates() []capability.Template {
	return []capability.Template{"acquire", "checks", "command", "gc", "notify", "revalidate"}
}

const checksTemplate = `# Looks at the texts that a proposal changes. It gates merges once policies/approvals.yaml
# requires it; docs/workflows.md says how.
name: checks

on:
  proposal.opened: true
  proposal.updated: true

jobs:
  look:
    timeout: 1m
    run: |
      # The changed paths come on standard input. The files are as main would have them.
      while read -r file; do
        test -f "$file" || continue # it would be removed
        case "$file" in
          proposals/*) continue ;; # the proposal's own record
          *.md) ;;
          *) continue ;;
        esac
        if grep -nw FIXME "$file"; then
          echo "$file: finish it first"
          exit 1
        fi
      done
`

const commandTemplate = `# Does something when a person or an agent asks for it: assent run start NAME --input what=…
name: command

on:
  command: command

inputs:
  what: {default: everything}

jobs:
  work:
    timeout: 5m
    run: |
      # Inputs are variables: untrusted text. The files are those in force.
      echo "this is where $ASSENT_INPUT_WHAT would be done"
`

const notifyTemplate = `# Tells the requester how a proposal ended. assent notify configures where notices go.
name: notify

on:
  proposal.merged: true
  proposal.rejected: true

jobs:
  tell:
    uses: notify
    message: A proposal has ended; assent status lists those that are open.
`

var (
	workflowName = regexp.MustCompile(`(?m)^name: .*$`)
	// workflowCommand is the command of a template, which only one workflow can have.
	workflowCommand = regexp.MustCompile(`(?m)^  command: (?:acquire|command)$`)
)

// renamed is a template under a new name and command.
func renamed(text, name string) string {
	return workflowCommand.ReplaceAllString(workflowName.ReplaceAllString(text, "name: "+name), "  command: "+name)
}

// scaffoldWorkflow returns the files of a new workflow: the template under its new name, and
// templates of tasks. there reports whether a file exists already.
func scaffoldWorkflow(o newOptions, there func(path string) bool) ([]tree.Edit, error) {
	if !names.IsName(o.name) {
		return nil, console.Usage("%q cannot be the name of a workflow; use %s", o.name, names.Suggest(o.name))
	}
	text := map[string]string{"checks": checksTemplate, "command": commandTemplate, "notify": notifyTemplate}[o.template]
	if text == "" {
		file := cmp.Or(map[string]string{"revalidate": "health"}[o.template], o.template)
		data, err := fs.ReadFile(assent.Template, workflow.Dir+"/"+file+".yaml")
		if errors.Is(err, fs.ErrNotExist) || !slices.Contains(workflowTemplates(), capability.Template(o.template)) {
			if o.template != "" {
				return nil, console.Usage("there is no template %q for a workflow: it is one of %s", console.OneLine(o.template), console.Words(workflowTemplates()))
			}
			return nil, console.Usage("say what the workflow is for: --template %s", console.Words(workflowTemplates()))
		}
		if err != nil {
			return nil, fmt.Errorf("read the template: %w", err)
		}
		text = string(data)
	}
	out := []tree.Edit{{Path: workflow.Dir + "/" + o.name + ".yaml", Content: []byte(renamed(text, o.name))}}
	tasks, err := fs.Glob(assent.Template, workflow.TemplateDir+"/*.md")
	if err != nil {
		return nil, fmt.Errorf("list the templates: %w", err)
	}
	for _, t := range tasks {
		if there(t) || !strings.Contains(text, "task: templates/"+filepath.Base(t)) {
			continue
		}
		data, err := fs.ReadFile(assent.Template, t)
		if err != nil {
			return nil, fmt.Errorf("read the template: %w", err)
		}
		out = append(out, tree.Edit{Path: t, Content: data})
	}
	return out, nil
}
