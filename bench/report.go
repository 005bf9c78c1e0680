package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assent-dev/assent/bench/marked"
)

// report is what one run found, and where.
type report struct {
	At      time.Time `json:"at"`
	Command string    `json:"command"`
	Machine machine   `json:"machine"`
	Results []result  `json:"results"`
}

// text is the report as Markdown.
func (r report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured with `%s` on %s: %s.\n", r.Command, r.At.Format("2 January 2006"), r.Machine)
	for _, res := range r.Results {
		fmt.Fprintf(&b, "\n### %s: %s\n\n`go run ./bench -row %s`\n\n", res.Row, res.Title, res.Row)
		b.WriteString("| what | assent | peer | | ratio | goal | met |\n| --- | ---: | --- | ---: | ---: | ---: | --- |\n")
		if res.Failed != "" {
			fmt.Fprintf(&b, "| could not be measured: %s | | | | | | |\n", strings.Join(strings.Fields(res.Failed), " "))
		}
		for _, l := range res.Lines {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n",
				l.What, l.Unit.format(l.Ours), l.Peer, l.Unit.format(l.Theirs), ratioOf(l.ratio()), l.goal(), l.met())
		}
	}
	return b.String()
}

// failed is an error if a row could not be measured.
func (r report) failed() error {
	var rows []string
	for _, res := range r.Results {
		if res.Failed != "" {
			rows = append(rows, res.Row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return fmt.Errorf("could not be measured: row %s", strings.Join(rows, ", "))
}

// emit writes the report where it was asked for.
func (r report) emit(o options, stdout io.Writer) error {
	if o.write != "" {
		if err := marked.Write(o.write, "./bench", r.text()); err != nil {
			return err
		}
	}
	if o.json {
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	_, err := io.WriteString(stdout, r.text())
	return err
}

func (l line) goal() string {
	switch {
	case l.Goal > 0:
		return "≤ " + ratioOf(l.Goal)
	case l.Most > 0:
		return "≤ " + l.Unit.format(l.Most)
	case l.Above > 0:
		return "≤ " + l.Unit.format(l.Above) + " above"
	}
	return ""
}

// writeInto replaces what stands between the markers of a file.
