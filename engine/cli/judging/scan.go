package judging

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
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home/ask"
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

func newScan(c *console.Console) *cobra.Command {
	var o scanOptions
	cmd := &cobra.Command{
		Use:   "scan PATH...",
		Short: "Find dangerous, hidden or unreadable content in skills, anywhere on the disk",
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
	cmd.Flags().StringVar(&o.format, "format", render.FormatText, "write the findings as `FORMAT`: "+console.Words(formats))
	complete.Flag(cmd, "format", complete.Fixed(formats))
	cmd.Flags().StringVar(&o.base, "base", "", "report only what is new against `OLD`, a folder or a Git revision")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show notes, too; other formats than text hold them always")
	cmd.Flags().StringVar(&o.opinion, "opinion", "", "ask `COMMAND`, too: JSON on its standard input, its answer on standard output")
	cmd.Flags().StringVar(&o.opinionURL, "opinion-url", "", "ask the model behind `URL`/chat/completions, too")
	cmd.Flags().StringVar(&o.opinionModel, "opinion-model", "", "the `NAME` of that model")
	return cmd
}

// second returns the reviewer for a second opinion, nil for none. It comes only from the command
// line: the scanned content must not choose a command.
func (o scanOptions) second(c *console.Console) scanner.Opinion {
	var by ask.Asker
	switch {
	case o.opinion != "":
		by = ask.OpinionForm().Command(o.opinion)
	case o.opinionURL != "":
		by = ask.OpinionForm().Endpoint(o.opinionURL, o.opinionModel, c.World.Getenv("ASSENT_OPINION_KEY"))
	default:
		return nil
	}
	return func(ctx context.Context, files []scan.File, found diag.List) diag.List {
		return ask.OpinionFindings(ctx, by, files, found)
	}
}

func runScan(ctx context.Context, c *console.Console, o scanOptions) error {
	if c.JSON {
		o.format = render.FormatJSON
	}
	if o.format != render.FormatText && !slices.Contains(render.ScanFormats(), o.format) {
		_, err := render.Scan(o.format, nil)
		return &console.Failure{Code: console.ExitUsage, Err: err}
	}
	if o.opinion != "" && o.opinionURL != "" || (o.opinionURL == "") != (o.opinionModel == "") {
		return console.Usage("ask either a command (--opinion) or a model (--opinion-url with --opinion-model)")
	}
	targets, err := scanner.Find(ctx, under(c.Dir, o.paths))
	if errors.Is(err, fs.ErrNotExist) {
		return &console.Failure{Code: console.ExitUsage, Err: err, Hint: "name folders and files that are there, such as ./skills"}
	}
	if err != nil {
		return err
	}
	opt := scanner.Options{Workers: runtime.GOMAXPROCS(0), Today: c.World.Now(), Second: o.second(c)}
	opt.Security = waivers(ctx, c, o.paths)
	if opt.Older, err = olderTree(ctx, c, o); err != nil {
		return err
	}
	results, err := scanAll(ctx, c, o, targets, opt)
	if err != nil {
		return err
	}
	return scanVerdict(c, o, results)
}

// scanAll scans the targets. People see each result as it comes; on the way to a
// machine's form they see how far it is.
func scanAll(ctx context.Context, c *console.Console, o scanOptions, targets []*scanner.Target, opt scanner.Options) ([]scan.Result, error) {
	results := make([]scan.Result, 0, len(targets))
	moving := o.format != render.FormatText && len(targets) > 1 && watched(c)
	err := scanner.Run(ctx, targets, opt, func(r scan.Result) error {
		results = append(results, r)
		if o.format == render.FormatText {
			printResult(c, o, r)
		} else if moving {
			c.Overwrite("scanned %d of %d", len(results), len(targets))
		}
		return nil
	})
	if moving {
		fmt.Fprintln(c.World.Err)
	}
	return results, err
}

// watched reports whether a person reads standard error.
func watched(c *console.Console) bool {
	return c.World.Interactive && term.IsTerminal(int(os.Stderr.Fd()))
}

// scanVerdict ends the answer; the exit code is that of the worst verdict.
func scanVerdict(c *console.Console, o scanOptions, results []scan.Result) error {
	counts := map[scan.Verdict]int{}
	for _, r := range results {
		counts[r.Verdict]++
	}
	if o.format == render.FormatText {
		what := "capabilities"
		if len(results) == 1 {
			what = "capability"
		}
		c.Printf("%d %s: %d block, %d escalate, %d pass\n", len(results), what, counts[scan.Block], counts[scan.Escalate], counts[scan.Pass])
	} else {
		out, err := render.Scan(o.format, results)
		if err != nil {
			return err
		}
		if _, err := c.World.Out.Write(out); err != nil {
			return fmt.Errorf("write the findings: %w", err)
		}
	}
	switch {
	case counts[scan.Block] > 0:
		return console.Quiet(console.ExitFindings)
	case counts[scan.Escalate] > 0:
		return console.Quiet(console.ExitRefused)
	}
	return nil
}

// printResult shows one capability to a person. Notes change no verdict: they are
// counted, and shown on request.
func printResult(c *console.Console, o scanOptions, r scan.Result) {
	verdict := fmt.Sprintf("%-8s", r.Verdict)
	switch r.Verdict {
	case scan.Block:
		verdict = c.Style.Bad(verdict)
	case scan.Escalate:
		verdict = c.Style.Warn(verdict)
	case scan.Pass:
		verdict = c.Style.Good(verdict)
	}
	score := ""
	if r.Score > 0 {
		score = c.Style.Dim(fmt.Sprintf("  score %.1f", r.Score))
	}
	c.Printf("%s  %s%s\n", verdict, c.Style.Bold(console.OneLine(r.Path)), score)
	shown, notes := render.Located([]scan.Result{r}), r.Findings.Count(diag.Note)
	if !o.verbose {
		shown = slices.DeleteFunc(shown, func(d diag.Diagnostic) bool { return d.Severity == diag.Note })
	}
	c.Diagnostics(c.World.Out, shown)
	if notes > 0 && !o.verbose {
		c.Printf("  %s\n", c.Style.Dim(console.Plural(notes, "note")+" of what following the text makes an agent do: show with --verbose"))
	}
}
