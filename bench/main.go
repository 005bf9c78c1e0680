package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/bench/kept"
	"github.com/assent-dev/assent/bench/measure"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == measure.Stage {
		os.Exit(measure.Staged(os.Args[2:]))
	}
	os.Exit(code())
}

func code() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case err == nil:
		return 0
	case !errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	return 1
}

type options struct {
	largest      int
	closed       int
	quick, clean bool
	json         bool
	rows, write  string
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.largest, "n", 100_000, "how many capabilities the largest workspace has")
	flags.IntVar(&o.closed, "closed", 10_000, "how many closed proposals the workspace with a past has")
	flags.BoolVar(&o.quick, "quick", false, "small sizes and few rounds")
	flags.StringVar(&o.rows, "row", "", "only these rows, by id, with commas")
	flags.BoolVar(&o.json, "json", false, "write JSON to standard output")
	flags.StringVar(&o.write, "write", "", "replace the table between the markers of this file")
	flags.BoolVar(&o.clean, "clean", false, "remove the workspaces that are kept, and do nothing else")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	return o, err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	store := kept.Store{Dir: filepath.Join(cache, "assent-bench"), Log: stderr}
	if o.clean {
		return store.Clean()
	}
	rows, err := chosen(o.rows)
	if err != nil {
		return err
	}
	b, leave, err := begin(ctx, store, sizesOf(o), o.quick, stderr)
	if err != nil {
		return err
	}
	defer leave()
	report := newReport(ctx, o)
	report.Results = b.all(ctx, rows)
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: nothing was written")
	}
	if size, err := store.Size(); err == nil {
		fmt.Fprintf(stderr, "%s keeps %s; -clean removes it\n", store.Dir, bytesOf(float64(size)))
	}
	if err := report.emit(o, stdout); err != nil {
		return err
	}
	return report.failed()
}

func chosen(ids string) ([]row, error) {
	if ids == "" {
		return rows(), nil
	}
	var out []row
	for _, id := range strings.Split(ids, ",") {
		found := false
		for _, r := range rows() {
			if r.id == strings.TrimSpace(id) {
				out, found = append(out, r), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no row %q", id)
		}
	}
	return out, nil
}
