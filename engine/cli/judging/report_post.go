package judging

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/announce"
	"github.com/assent-dev/assent/engine/forge/github"
	"github.com/assent-dev/assent/engine/gate/validate"
)

type postOptions struct {
	file, head, branch string
	alerts, dryRun     bool
}

func newReportPost(c *console.Console) *cobra.Command {
	var o postOptions
	cmd := &cobra.Command{
		Use:   "post FILE --head COMMIT",
		Short: "Tell a pull request on GitHub what validation found",
		Long: `Post publishes the report in FILE as the status "assent" of a commit, and as one
comment on the pull request that the branch is for, if that commit is still its
newest. A comment of an earlier report is replaced.

With --code-scanning, the findings also become alerts of the pull request. That needs
security-events: write of GITHUB_TOKEN (or else ASSENT_TOKEN) and a repository that
has code scanning; where either is missing, a sentence says so and nothing fails.

It is meant for a step of a workflow, whose surroundings it reads: GITHUB_REPOSITORY,
GITHUB_SERVER_URL, GITHUB_RUN_ID and, for the right to do it, ASSENT_TOKEN or else
GITHUB_TOKEN. Make sure that the report is of that commit: assent validate --claimed
does.`,
		Example: `  assent report post report.json --head "$HEAD" --branch "$BRANCH"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return runReportPost(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.head, "head", "", "the `COMMIT` that was validated, by its full name")
	cmd.Flags().StringVar(&o.branch, "branch", "", "the `BRANCH` that a pull request may come from")
	cmd.Flags().BoolVar(&o.alerts, "code-scanning", false, "hand the findings to code scanning, too")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be published, but send nothing")
	return cmd
}

// postJSON is the JSON of report post.
type postJSON struct {
	Repository string `json:"repository"`
	Head       string `json:"head"`
	announce.Told
	// CodeScanning is the result for the alerts: uploaded, or why they were not.
	CodeScanning string `json:"code_scanning,omitempty"`
	DryRun       bool   `json:"dry_run,omitempty"`
}

func runReportPost(ctx context.Context, c *console.Console, o postOptions) error {
	head, err := tree.ParseHash(o.head)
	if err != nil {
		return console.Usage("name the commit that was validated by its full name: --head COMMIT")
	}
	r, err := savedReport(ctx, c, o.file)
	if err != nil {
		return err
	}
	h, err := workflowHost(c, "ASSENT_TOKEN", "GITHUB_TOKEN")
	if err != nil {
		return err
	}
	out := postJSON{Repository: c.World.Getenv("GITHUB_REPOSITORY"), Head: head.String(), DryRun: o.dryRun}
	if o.dryRun {
		out.State = announce.State(r)
	} else {
		s := announce.Subject{Head: head, Branch: o.branch, URL: workflowRun(c)}
		if out.Told, err = announce.Report(ctx, h, s, r); err == nil && o.alerts {
			out.CodeScanning, err = alerts(ctx, c, s, out.Shown, r)
		}
		if err != nil {
			return fmt.Errorf("tell %s: %w", out.Repository, err)
		}
	}
	if c.JSON {
		return c.Emit(out)
	}
	switch {
	case o.dryRun:
		c.Printf("%s %s of %s: %s\n", c.Style.Warn("would publish"), out.State, head.Short(), r.Summary())
	case out.Number != 0:
		c.Printf("published %s of %s, and commented on #%d\n", out.State, head.Short(), out.Number)
	default:
		c.Printf("published %s of %s; no comment: %s\n", out.State, head.Short(), out.Why)
	}
	if out.CodeScanning != "" {
		c.Printf("code scanning: %s\n", console.OneLine(out.CodeScanning))
	}
	return nil
}

// alerts uploads findings to code scanning and returns the result.
func alerts(ctx context.Context, c *console.Console, s announce.Subject, number int, r validate.Report) (string, error) {
	h, err := workflowHost(c, "GITHUB_TOKEN", "ASSENT_TOKEN")
	if err != nil {
		return "", err
	}
	why, err := announce.Alerts(ctx, h, s, number, r)
	return cmp.Or(why, "uploaded"), err
}

// workflowHost is the repository on GitHub that a workflow's step runs for, by
// the first of two tokens that is set.
func workflowHost(c *console.Console, first, second string) (*github.Host, error) {
	get := c.World.Getenv
	owner, repo, ok := strings.Cut(get("GITHUB_REPOSITORY"), "/")
	if !ok {
		return nil, console.Usage("GITHUB_REPOSITORY does not name a repository (owner/name); a workflow's step has it")
	}
	token := cmp.Or(get(first), get(second))
	if token == "" {
		return nil, console.Usage("ASSENT_TOKEN is not set; give the step one with statuses: write and pull-requests: write")
	}
	h, err := github.New(github.Options{
		Server: cmp.Or(get("GITHUB_SERVER_URL"), "https://github.com"), Owner: owner, Repo: repo, Token: token,
	})
	if err != nil {
		return nil, console.Usage("%v", err)
	}
	return h, nil
}

// workflowRun returns the address of this step's workflow run; empty outside of one.
func workflowRun(c *console.Console) string {
	server, repo, id := c.World.Getenv("GITHUB_SERVER_URL"), c.World.Getenv("GITHUB_REPOSITORY"), c.World.Getenv("GITHUB_RUN_ID")
	if server == "" || id == "" {
		return ""
	}
	return server + "/" + repo + "/actions/runs/" + id
}
