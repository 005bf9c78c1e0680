package judging

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/validate"
)

func newReport(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Show or publish a report that validation left in a file",
		Long: `Report reads what assent validate --format json wrote, so that one validation can be
told in several forms and places.`,
	}
	cmd.AddCommand(newReportShow(c), newReportPost(c))
	return cmd
}

func newReportShow(c *console.Console) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Write a report in another form",
		Long: `Show writes the report in FILE in the form that is asked for. It judges nothing: what
the file says is shown, and whoever wrote it is believed. It ends with 1 when the
report has an error in it.`,
		Example: `  assent validate --base main --format json > report.json
  assent report show report.json --format sarif > report.sarif`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := savedReport(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			return printReport(c, format, r)
		},
	}
	addFormatFlag(cmd, &format)
	return cmd
}

// savedReport reads a report that the command line names. Whether it passed is for its
// findings to say.
func savedReport(ctx context.Context, c *console.Console, file string) (validate.Report, error) {
	r, err := readReport(ctx, c, file)
	var none errNoReport
	if errors.As(err, &none) {
		return r, console.Usage("%s is no report: %s", file, none.why)
	}
	r.Passed = !r.Diagnostics.HasErrors()
	return r, err
}
