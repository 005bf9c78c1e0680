package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assent-dev/assent/bench/marked"
)

type options struct {
	write, edits string
	list, quick  bool
	sets         []set
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench/scan:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("scan", flag.ContinueOnError)
	flags.StringVar(&o.write, "write", "", "put the table between the markers of `FILE`")
	flags.StringVar(&o.edits, "edits", "bench/scan/testdata/edits", "read edits of clean skills from `DIR`")
	flags.BoolVar(&o.list, "list", false, "list every warning and error")
	flags.BoolVar(&o.quick, "quick", false, "leave the slow inputs out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, arg := range flags.Args() {
		label, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q: write it as LABEL=DIR", arg)
		}
		o.sets = append(o.sets, newSet(label, dir))
	}
	text, err := measure(ctx, o, out)
	if err != nil {
		return err
	}
	if o.write != "" {
		if err := marked.Write(o.write, "./bench/scan", text); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text)
	return err
}

// measure returns the figures as Markdown; findings are listed on the way.
func measure(ctx context.Context, o options, list io.Writer) (string, error) {
	if !o.list {
		list = io.Discard
	}
	var b strings.Builder
	for i := range o.sets {
		if err := o.sets[i].measure(ctx, list); err != nil {
			return "", err
		}
	}
	setTable(&b, o.sets)
	if err := editTable(&b, o.edits, list); err != nil {
		return "", err
	}
	if !o.quick {
		inputTable(&b)
	}
	return b.String(), nil
}
