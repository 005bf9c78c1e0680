package runs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/serve"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/webhook"
	"github.com/assent-dev/assent/engine/workspace"
)

// secretVariable holds the secrets of webhooks where no file does.
const secretVariable = "ASSENT_WEBHOOK_SECRET"

type serveOptions struct {
	listen, remote, secretFile, tokensFile string
	hosts                                  []string
	poll, settle, grace                    time.Duration
	once                                   bool
	workers                                int
}

func newServe(c *console.Console, clients Clients) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Keep doing what the workflows in force call for",
		Long: `Serve makes one pass after the other, each of them what assent reconcile does once:
on the schedules of the workflows in force, when a webhook of GitHub, Gitea or Forgejo
says that something happened, and every --poll in any case. It ends with 0 on SIGTERM
or Ctrl-C, when the pass that runs is done; a second signal ends it at once.

It listens on this machine only, unless --listen says otherwise, and answers
/healthz (200 while the last pass was good and is not long ago), /livez (200 while it
runs), /metrics (for Prometheus) and, with a secret, /webhook. The secret comes from
--webhook-secret-file or from ` + secretVariable + `, one a line, and from nowhere else.

With --mcp-tokens-file it answers agents' clients on /mcp, as assent mcp does on streams. Each
line of the file is AGENT TOKEN: a client acts as the agent of the token that it sends.

With --remote, each pass begins with assent pull and ends with assent push. Several
daemons may run in one repository; of clones, let one merge. docs/serve.md says more.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), c, o, clients) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8466", "answer on `ADDRESS`; port 0 takes one that is free")
	f.StringArrayVar(&o.hosts, "host", nil, "be asked for by `NAME` too, as a reverse proxy passes it on; may be repeated")
	f.StringVar(&o.remote, "remote", "", "pull from `NAME` before each pass and push to it after")
	f.StringVar(&o.secretFile, "webhook-secret-file", "", "take webhooks that a secret in `FILE` has signed")
	f.StringVar(&o.tokensFile, "mcp-tokens-file", "", "serve agents' clients whose tokens are in `FILE`")
	f.DurationVar(&o.poll, "poll", time.Minute, "look at least this often, give or take a tenth")
	f.DurationVar(&o.settle, "settle", 2*time.Second, "let webhooks be quiet for this long before a pass follows them")
	f.DurationVar(&o.grace, "grace", 30*time.Second, "let a pass go on for this long after a signal to end")
	f.IntVar(&o.workers, "workers", task.DefaultWorkers(), "run at most `N` scripts of workflows at the same time")
	f.BoolVar(&o.once, "once", false, "make one pass, show what it did, and end; do not listen")
	return cmd
}

func runServe(ctx context.Context, c *console.Console, o serveOptions, clients Clients) error {
	c.World.Interactive = false // no one is there to type a passphrase
	if err := o.check(); err != nil {
		return err
	}
	w, err := c.Open()
	if err != nil {
		return err
	}
	if err := knownRemote(w, o.remote); err != nil {
		return err
	}
	c.Workers = o.workers
	if o.once {
		return passOnce(ctx, c, serve.Options{Remote: o.remote})
	}
	if o.remote == "" { // with one, a pull may bring the missing objects
		if _, err := w.Session(ctx); err != nil {
			return err
		}
	}
	secrets, err := webhookSecrets(c, o.secretFile, w.Repo.CommonDir(), w.Repo.Top())
	if err != nil {
		return err
	}
	var mcp http.Handler
	if o.tokensFile != "" {
		cur, err := w.Session(ctx)
		if err != nil {
			return err
		}
		if mcp, err = clients(c, cur, o.tokensFile, NotifyWaiting); err != nil {
			return err
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return &console.Failure{Code: console.ExitWorld, Err: err, Hint: "--listen takes another address; port 0 is one that is free"}
	}
	c.Log = console.Logger(c)
	var d *serve.Daemon
	beside := *c // passes change c while workers open their workspaces
	again := func(ctx context.Context) (*workspace.Workspace, func(), error) {
		w, done, err := beside.Again(ctx)
		if err == nil && o.remote != "" { // scripts begin there first
			exchange.Through(w, o.remote)
		}
		return w, done, err
	}
	workers := task.NewWorkers(o.workers, again, func(out task.Advanced, err error) { d.Script(out, err) })
	defer workers.Stop()
	d = serve.New(serve.Settings{
		Make: func(ctx context.Context) (serve.Outcome, error) {
			out, err := makePass(ctx, c, serve.Options{Remote: o.remote, Workers: workers})
			if err == nil {
				NotifyWaiting(ctx, c)
				console.Synced(ctx, c)
			}
			return out, err
		},
		Poll: o.poll, Settle: o.settle, Grace: o.grace, Secrets: secrets, Hosts: o.hosts, MCP: mcp, Log: c.Log,
	})
	return d.Run(ctx, listener)
}

// knownRemote refuses the name of a missing remote; "" is allowed.
func knownRemote(w *workspace.Workspace, name string) error {
	if name != "" && w.Repo.Config("remote."+name+".url") == "" {
		return &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("there is no remote %q", name), Hint: "git remote -v lists the remotes, git remote add NAME URL adds one"}
	}
	return nil
}

// check refuses invalid durations and numbers.
func (o serveOptions) check() error {
	if err := checkWorkers(o.workers); err != nil {
		return err
	}
	for _, d := range []struct {
		flag         string
		given, least time.Duration
	}{{"poll", o.poll, serve.MinPoll}, {"settle", o.settle, serve.MinSettle}, {"grace", o.grace, 0}} {
		if d.given < d.least {
			return console.Usage("--%s %s is too short: %s at least", d.flag, d.given, d.least)
		}
	}
	return nil
}

func checkWorkers(n int) error {
	if n < 1 || n > 256 {
		return console.Usage("--workers %d: it is 1 to 256", n)
	}
	return nil
}

// webhookSecrets are the operator's; none are no failure.
func webhookSecrets(c *console.Console, file string, outside ...string) (secrets webhook.Secrets, err error) {
	switch given := c.World.Getenv(secretVariable); {
	case file != "":
		secrets, err = serve.ReadSecrets(file, outside...)
	case given != "":
		if secrets, err = serve.ParseSecrets([]byte(given)); err != nil {
			err = fmt.Errorf("%s: %w", secretVariable, err)
		}
	}
	if errors.Is(err, serve.ErrSecret) {
		return nil, &console.Failure{Code: console.ExitUsage, Err: err}
	}
	return secrets, err
}

// makePass makes one pass in a workspace that is opened for it.
func makePass(ctx context.Context, c *console.Console, o serve.Options) (serve.Outcome, error) {
	w, err := c.Join(ctx)
	if err != nil {
		return serve.Outcome{}, err
	}
	c.ForgetAttester() // chosen by the policies that this pass pulls
	defer c.Close()
	o.Inbox = inboxOf(w)
	out, err := serve.Pass(ctx, w, o)
	for _, odd := range out.Odd {
		c.Complain("%s left as it is: %s", c.Style.Warn("warning:"), console.OneLine(odd.Error()))
	}
	if err != nil || o.DryRun {
		return out, err
	}
	if cur, err := w.Session(ctx); err == nil {
		output.TidyByTheWay(ctx, c, cur)
	}
	return out, nil
}

// inboxOf returns the remote with the workspace's inbox; empty if only this clone changes it.
func inboxOf(w *workspace.Workspace) string {
	if t := w.Forge.Traits(); t.Agreed {
		return t.Remote
	}
	return ""
}

// onceJSON is the result of a single pass of the daemon.
type onceJSON struct {
	Pulled  *output.Pulled     `json:"pulled"`
	Results []reconcile.Result `json:"results"`
	Pushed  *output.Pushed     `json:"pushed"`
}

// passOnce makes one pass and shows it.
func passOnce(ctx context.Context, c *console.Console, o serve.Options) error {
	out, err := makePass(ctx, c, o)
	if err != nil && len(out.Results) == 0 && out.Pulled == nil {
		return console.ExchangeFailed(err)
	}
	if c.JSON {
		v := onceJSON{Results: append([]reconcile.Result{}, out.Results...)}
		if out.Pulled != nil {
			p := output.PulledOf(*out.Pulled)
			v.Pulled = &p
		}
		if out.Pushed != nil {
			p := output.PushedOf(*out.Pushed, false)
			v.Pushed = &p
		}
		if shown := c.Emit(v); shown != nil {
			return shown
		}
	} else {
		if out.Pulled != nil {
			output.PrintPulled(c, *out.Pulled)
		}
		printReconciled(c, out.Results)
		if out.Pushed != nil {
			output.PrintPushed(c, *out.Pushed, false)
		}
	}
	switch {
	case err != nil:
		return console.ExchangeFailed(err)
	case out.Pushed != nil && len(out.Pushed.Held) > 0:
		return output.HeldBack(c, *out.Pushed)
	}
	return leftBehind(out.Results)
}
