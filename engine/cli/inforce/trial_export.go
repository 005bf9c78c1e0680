package inforce

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type trialExportOptions struct {
	otlp        string
	all, dryRun bool
}

const (
	// perExport is how many records a request has, perReading how many are held at once.
	perExport, perReading = 500, 20_000
	// exportTries bounds the requests for one batch, exportWait the time between two.
	exportTries = 5
	exportWait  = 30 * time.Second
	// exportTime bounds one request, maxExportAnswer its answer.
	exportTime      = 10 * time.Second
	maxExportAnswer = 64 << 10
)

func newTrialExport(c *console.Console) *cobra.Command {
	var o trialExportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Send this installation's records to an OpenTelemetry collector",
		Long: `Export sends this installation's records as logs, by OTLP over HTTP in JSON, to URL/v1/logs.
Without --otlp it is the address that trials.otlp in retention.yaml names, once you have
accepted it (assent trust). The next export goes on where the last one to the same address
ended. Each record has its id in the attribute assent.trial.id, so that duplicates can be recognised.

With summaries: none no text is sent. The exit code is 1 if the collector rejected records.`,
		Example: `  assent trial export --otlp http://127.0.0.1:4318
  assent trial export --all --dry-run --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTrialExport(cmd.Context(), c, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.otlp, "otlp", "", "the `URL` of the collector, such as http://127.0.0.1:4318")
	f.BoolVar(&o.all, "all", false, "begin with the first record again")
	f.BoolVar(&o.dryRun, "dry-run", false, "count the records, but send nothing")
	return cmd
}

// exportJSON is the answer of assent trial export.
type exportJSON struct {
	DryRun bool   `json:"dry_run,omitempty"`
	To     string `json:"to"`
	Sent   int    `json:"sent"`
	// Rejected are those of Sent that the collector did not take, Why the last reason.
	Rejected int    `json:"rejected"`
	Why      string `json:"why,omitempty"`
}

func runTrialExport(ctx context.Context, c *console.Console, o trialExportOptions) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	kept := cur.Policies.Retention.Trials
	to := o.otlp
	if to == "" {
		to = kept.OTLP
		if err := keys.Admits(cur.ID(), to); err != nil && to != "" {
			return err
		}
	}
	if !advice.SafeURL(to) {
		return console.Usage("give the collector's address as --otlp https://…, or trials.otlp in retention.yaml; http is for this machine only")
	}
	if !strings.HasSuffix(to, "/v1/logs") {
		to = strings.TrimRight(to, "/") + "/v1/logs"
	}
	dir, err := keys.Home()
	if err != nil {
		return err
	}
	out := exportJSON{DryRun: o.dryRun, To: to}
	x := exporter{cur: cur, log: trialsOf(cur), store: home.At(dir)}
	if x.own, err = x.log.Own(); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(cur.ID() + "\n" + string(x.own) + "\n" + to))
	x.cursor = "otlp/" + hex.EncodeToString(sum[:16])
	if !o.all {
		err = x.resume()
	}
	for more := true; err == nil && more; {
		more, err = x.next(ctx, &out)
	}
	if err != nil && !o.dryRun {
		err = fmt.Errorf("sent %d records to %s, then failed (run it again to go on): %w", out.Sent, to, err)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		err = c.Emit(out)
	} else if o.dryRun {
		c.Printf("would send %s to %s\n", console.Plural(out.Sent, "record"), console.OneLine(to))
	} else {
		c.Printf("%s %s to %s\n", c.Style.Good("sent"), console.Plural(out.Sent, "record"), console.OneLine(to))
	}
	if out.Rejected > 0 && err == nil {
		c.Complain("%s the collector rejected %s: %s", c.Style.Warn("warning:"), console.Plural(out.Rejected, "record"), console.OneLine(out.Why))
		return console.Quiet(console.ExitFindings)
	}
	return err
}

// exporter sends the records of this installation after last.
type exporter struct {
	cur    workspace.Session
	log    triallog.Log
	own    trial.Writer
	store  home.Store
	cursor string
	last   trial.ID
}

// resume reads where the last export ended.
func (x *exporter) resume() error {
	data, err := x.store.Read(x.cursor, 100)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		x.last, err = trial.ParseID(string(data))
	}
	if err != nil {
		return fmt.Errorf("read %s, without which all is sent again: %w", x.store.Path(x.cursor), err)
	}
	return nil
}

// next sends the oldest records that were not sent, in batches.
func (x *exporter) next(ctx context.Context, out *exportJSON) (more bool, err error) {
	var all []trial.Trial
	since := trial.Day(0)
	if !x.last.IsZero() {
		since = trial.DayOf(x.last.Time())
	}
	if err := triallog.VisitOwn(x.log, since, func(k triallog.Kept) bool { // the newest first
		if k.ID.Compare(x.last) > 0 {
			if all = append(all, k.Trial); len(all) >= 2*perReading {
				all, more = slices.Clone(all[perReading:]), true
			}
		}
		return true
	}); err != nil {
		return false, err // what is missing now would never be sent
	}
	order.Stable(all, func(a, b trial.Trial) int { return a.ID.Compare(b.ID) })
	for batch := range slices.Chunk(all, perExport) {
		if !out.DryRun {
			if err := x.send(ctx, batch, out); err != nil {
				return false, err
			}
		}
		x.last = batch[len(batch)-1].ID
		out.Sent += len(batch)
		if !out.DryRun {
			if err := x.store.Write(x.cursor, []byte(x.last.String())); err != nil {
				return false, fmt.Errorf("keep where the export ended: %w", err)
			}
		}
	}
	return more, nil
}

// send sends one batch, and again as the protocol says: after 429, 502, 503 and 504.
func (x *exporter) send(ctx context.Context, batch []trial.Trial, out *exportJSON) error {
	for i, t := range batch {
		batch[i].Observation = t.Summarised(x.cur.Policies.Retention.Trials.NoSummaries)
	}
	body, err := trial.OTLP(map[string]any{
		"service.name": "assent", "service.version": version.Engine, "service.instance.id": string(x.own), "assent.workspace": x.cur.ID(),
	}, batch)
	if err != nil {
		return fmt.Errorf("write a batch: %w", err)
	}
	for try := 1; ; try++ {
		asked, stop := context.WithTimeout(ctx, exportTime)
		answer, err := ask.Post(asked, out.To, os.Getenv(ask.KeyName(out.To)), body, maxExportAnswer)
		stop()
		if err == nil {
			n, why, err := trial.OTLPRejected(answer.Body)
			if out.Rejected += n; why != "" {
				out.Why = why
			}
			return err
		}
		wait, again := pause(answer, try, x.cur.Now())
		if !again || try == exportTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// pause says how long to wait before a request is sent again, if it may be.
func pause(answer ask.Reply, try int, now time.Time) (wait time.Duration, again bool) {
	if !slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, answer.Status) {
		return 0, false
	}
	wait = time.Second << try
	after := answer.Header.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil {
		wait = time.Duration(min(max(n, 0), 3600)) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		wait = max(0, at.Sub(now))
	}
	return wait, wait <= exportWait
}
