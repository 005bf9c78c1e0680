package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

func newReport(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Show a report that validation left in a file",
		Long: `Report reads what assent validate --format json wrote, so that one validation can be
told in several forms and places.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return &failure{code: exitUsage, err: errors.New("report what? show"), hint: "assent report show FILE --format markdown"}
		},
	}
	cmd.AddCommand(newReportShow(c))
	return cmd
}

func newReportShow(c *console) *cobra.Command {
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
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := readReport(args[0])
			var none errNoReport
			if errors.As(err, &none) {
				return usage("%s is no report: %s", args[0], none.why)
			}
			if err != nil {
				return err
			}
			r.Passed = !r.Diagnostics.HasErrors()
			return c.report(format, r)
		},
	}
	c.formatFlag(cmd, &format)
	return cmd
}
