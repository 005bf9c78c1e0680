package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/home/opinion"
	"github.com/assent-dev/assent/engine/proposals/render"
	"github.com/assent-dev/assent/engine/proposals/scanner"
	"github.com/assent-dev/assent/engine/scan"
)

type scanOptions struct {
	paths                             []string
	format, base                      string
	opinion, opinionURL, opinionModel string
	verbose                           bool
}

func newScan(c *console) *cobra.Command {
	var o scanOptions
	cmd := &cobra.Command{
		Use:   "scan PATH...",
		Short: "Look for what is dangerous, hidden or unreadable in skills, wherever they lie",
		Long: `Scan reads folders and files, inside of a workspace or not, and judges each
capability in them: block (certain by its form), escalate (a person must look at
the lines that are shown) or pass, which is no proof of harmlessness. Nothing is
run, fetched or changed.

A capability is a folder with a SKILL.md (in any case) or a capability.yaml, and all
that is below it; a folder with an MCP server's or a client's configuration
(server.json, .mcp.json, .claude and the like), without the capabilities below it;
and what is left of each PATH. What cannot be read blocks,
but an archive or a picture, which escalates.

With --base only what is new against an older version is reported: a folder, or a
Git revision of the repository that PATH is in. Inside of a workspace its waivers
apply.

With --opinion a command is asked, too, or with --opinion-url a model behind an
OpenAI-compatible address (its key in ASSENT_OPINION_KEY). It gets the files and the
findings as JSON and answers {"verdict": "block|escalate|pass", "reason": …,
"findings": [{"file", "line", "severity", "message"}]}. It can add findings and take
none away; without an answer a capability escalates.

It ends with 0 when everything passes, with 1 when something blocks, and with 3 when
nothing blocks and something escalates.`,
		Example: `  assent scan ./skills
  assent scan ~/.claude/skills --format json
  assent scan new/parse-csv --base old/parse-csv
  assent scan skills --base main --format sarif > assent.sarif`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			return runScan(cmd.Context(), c, o)
		},
	}
	formats := append([]string{render.FormatText}, render.ScanFormats()...)
	cmd.Flags().StringVar(&o.format, "format", render.FormatText, "write the findings as `FORMAT`: "+words(formats))
	c.completeFlag(cmd, "format", fixed(formats))
	cmd.Flags().StringVar(&o.base, "base", "", "report only what is new against `OLD`, a folder or a Git revision")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show notes, too; other formats than text hold them always")
	cmd.Flags().StringVar(&o.opinion, "opinion", "", "ask `COMMAND`, too: JSON on its standard input, its answer on standard output")
	cmd.Flags().StringVar(&o.opinionURL, "opinion-url", "", "ask the model behind `URL`/chat/completions, too")
	cmd.Flags().StringVar(&o.opinionModel, "opinion-model", "", "the `NAME` of that model")
	return cmd
}

// second is who is asked for a second opinion, nil for nobody. It comes from the
// command line alone: what is scanned must not choose a command.
func (o scanOptions) second(c *console) scanner.Opinion {
	var by ask.Asker
	switch {
	case o.opinion != "":
		by = opinion.Form().Command(o.opinion)
	case o.opinionURL != "":
		by = opinion.Form().Endpoint(o.opinionURL, o.opinionModel, c.world.Getenv("ASSENT_OPINION_KEY"))
	default:
		return nil
	}
	return func(ctx context.Context, files []scan.File, found diag.List) diag.List {
		return opinion.Second(ctx, by, files, found)
	}
}

func runScan(ctx context.Context, c *console, o scanOptions) error {
	if c.json {
		o.format = render.FormatJSON
	}
	if o.format != render.FormatText && !slices.Contains(render.ScanFormats(), o.format) {
		_, err := render.Scan(o.format, nil)
		return &failure{code: exitUsage, err: err}
	}
	if o.opinion != "" && o.opinionURL != "" || (o.opinionURL == "") != (o.opinionModel == "") {
		return usage("ask either a command (--opinion) or a model (--opinion-url with --opinion-model)")
	}
	targets, err := scanner.Find(ctx, under(c.dir, o.paths))
	if errors.Is(err, fs.ErrNotExist) {
		return &failure{code: exitUsage, err: err, hint: "name folders and files that are there, such as ./skills"}
	}
	if err != nil {
		return err
	}
	opt := scanner.Options{Workers: runtime.GOMAXPROCS(0), Today: c.world.Now(), Second: o.second(c)}
	opt.Security = c.waivers(ctx, o.paths)
	if opt.Older, err = c.older(ctx, o); err != nil {
		return err
	}
	results, err := c.scanned(ctx, o, targets, opt)
	if err != nil {
		return err
	}
	return c.scanVerdict(o, results)
}

// scanned scans the targets. People see each result as it comes; on the way to a
// machine's form they see how far it is.
func (c *console) scanned(ctx context.Context, o scanOptions, targets []*scanner.Target, opt scanner.Options) ([]scan.Result, error) {
	results := make([]scan.Result, 0, len(targets))
	moving := o.format != render.FormatText && len(targets) > 1 && c.watched()
	err := scanner.Run(ctx, targets, opt, func(r scan.Result) error {
		results = append(results, r)
		if o.format == render.FormatText {
			c.scanResult(o, r)
		} else if moving {
			fmt.Fprintf(c.world.Err, "\rscanned %d of %d", len(results), len(targets))
		}
		return nil
	})
	if moving {
		fmt.Fprintln(c.world.Err)
	}
	return results, err
}

// watched reports whether a person reads standard error.
func (c *console) watched() bool { return c.world.Interactive && term.IsTerminal(int(os.Stderr.Fd())) }

// scanVerdict ends the answer; the exit code is that of the worst verdict.
func (c *console) scanVerdict(o scanOptions, results []scan.Result) error {
	counts := map[scan.Verdict]int{}
	for _, r := range results {
		counts[r.Verdict]++
	}
	if o.format == render.FormatText {
		what := "capabilities"
		if len(results) == 1 {
			what = "capability"
		}
		c.printf("%d %s: %d block, %d escalate, %d pass\n", len(results), what, counts[scan.Block], counts[scan.Escalate], counts[scan.Pass])
	} else {
		out, err := render.Scan(o.format, results)
		if err != nil {
			return err
		}
		if _, err := c.world.Out.Write(out); err != nil {
			return fmt.Errorf("write the findings: %w", err)
		}
	}
	switch {
	case counts[scan.Block] > 0:
		return quiet(exitFindings)
	case counts[scan.Escalate] > 0:
		return quiet(exitRefused)
	}
	return nil
}

// scanResult shows one capability to a person. Notes change no verdict: they are
// counted, and shown on request.
func (c *console) scanResult(o scanOptions, r scan.Result) {
	verdict := fmt.Sprintf("%-8s", r.Verdict)
	switch r.Verdict {
	case scan.Block:
		verdict = c.style.bad(verdict)
	case scan.Escalate:
		verdict = c.style.warn(verdict)
	case scan.Pass:
		verdict = c.style.good(verdict)
	}
	score := ""
	if r.Score > 0 {
		score = c.style.dim(fmt.Sprintf("  score %.1f", r.Score))
	}
	c.printf("%s  %s%s\n", verdict, c.style.bold(oneLine(r.Path)), score)
	shown, notes := render.Located([]scan.Result{r}), r.Findings.Count(diag.Note)
	if !o.verbose {
		shown = slices.DeleteFunc(shown, func(d diag.Diagnostic) bool { return d.Severity == diag.Note })
	}
	c.diagnostics(c.world.Out, shown)
	if notes > 0 && !o.verbose {
		c.printf("  %s\n", c.style.dim(plural(notes, "note")+" of what following the text makes an agent do: show with --verbose"))
	}
}
