package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/assent-dev/assent/bench/marked"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench/structure:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("structure", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print JSON, with every type and fact")
	list := flags.Bool("copies", false, "list the structs that hold the same fact, with the reason for those that stay apart")
	write := flags.String("write", "", "put the tables between the marks of `FILE`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	trees := flags.Args()
	if len(trees) == 0 {
		trees = []string{"now=."}
	}
	var all []figures
	for _, arg := range trees {
		label, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q: write it as LABEL=DIR", arg)
		}
		f, err := count(os.DirFS(dir))
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		f.Label = label
		all = append(all, f)
	}
	if *write != "" {
		if err := marked.Write(*write, "./bench/structure", tables(all)); err != nil {
			return err
		}
	}
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(all)
	}
	if *list {
		_, err := io.WriteString(out, copyTables(all))
		return err
	}
	_, err := io.WriteString(out, tables(all))
	return err
}
