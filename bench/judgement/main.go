package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assent-dev/assent/bench/marked"
)

type options struct {
	data, skills, write string
	sealed              bool
	sessions, misses    bool
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench/judgement:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("judgement", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", "", "read tools and queries from `DIR`: tools.json, queries.csv, queries-multi.json")
	flags.StringVar(&o.skills, "skills", "", "read skills from `DIRS`, separated by commas")
	flags.StringVar(&o.write, "write", "", "put the table between the markers of `FILE`")
	flags.BoolVar(&o.sealed, "sealed", false, "judge by the sealed part of the queries instead of the open one")
	flags.BoolVar(&o.sessions, "sessions", false, "judge the gaps heard in the labelled sessions of testdata")
	flags.BoolVar(&o.misses, "misses", false, "with -sessions, print what is wrong in the open part")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.data == "" && o.skills == "" && !o.sessions {
		return errors.New("name a folder with -data or -skills, or judge with -sessions")
	}
	var figures []figure
	if o.data != "" {
		found, err := tools(o.data, o.sealed)
		if err != nil {
			return err
		}
		figures = append(figures, found...)
	}
	if o.skills != "" {
		found, err := skills(ctx, strings.Split(o.skills, ","), o.sealed)
		if err != nil {
			return err
		}
		figures = append(figures, found...)
	}
	if o.sessions {
		misses := io.Discard
		if o.misses && !o.sealed {
			misses = out
		}
		found, err := heard(o.sealed, misses)
		if err != nil {
			return err
		}
		figures = append(figures, found...)
	}
	text := table(figures, o.sealed)
	if o.write != "" {
		if err := marked.Write(o.write, "./bench/judgement", text); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, text)
	return err
}
