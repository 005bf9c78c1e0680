// Command assent-bolt writes a memory graph into a graph database that speaks Bolt:
//
//	assent graph --json | NEO4J_PASSWORD=… assent-bolt -workspace ID bolt+s://graph.example.org
//
// It is a program of its own, so that the engine does not contain the driver; `assent graph --push` starts it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/assent-dev/assent/engine/registry/graph"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run exits with 0 once the graph is written, 1 where that failed, and nothing was changed, and 2 for a wrong
// command line.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	f := flag.NewFlagSet("assent-bolt", flag.ContinueOnError)
	f.SetOutput(errs)
	workspace := f.String("workspace", "", "`ID` that keeps the graphs of several workspaces apart")
	dry := f.Bool("dry-run", false, "check the graph and the URI, but connect to nothing")
	f.Usage = func() {
		fmt.Fprintln(errs, "usage: assent graph --json | assent-bolt [-workspace ID] [-dry-run] URI\n\n"+
			"URI begins with bolt:// or neo4j://, or with TLS bolt+s://, neo4j+s:// (+ssc: self-signed). The login is in\n"+
			"NEO4J_USERNAME (neo4j), NEO4J_PASSWORD and NEO4J_DATABASE (the user's own).")
		f.PrintDefaults()
	}
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil { // which Parse printed, with the usage
		return 2
	}
	if f.NArg() != 1 {
		f.Usage()
		return 2
	}
	to, err := serverOf(f.Arg(0), os.Getenv)
	if err != nil {
		fmt.Fprintln(errs, "assent-bolt:", err)
		return 2
	}
	g, err := graph.Read(in)
	done := written{Nodes: len(g.Nodes), Edges: len(g.Edges)}
	if err == nil && !*dry {
		done, err = to.write(ctx, *workspace, g)
	}
	if err != nil {
		fmt.Fprintf(errs, "assent-bolt: %q\n", err)
		return 1
	}
	if err := json.NewEncoder(out).Encode(done); err != nil {
		fmt.Fprintln(errs, "assent-bolt:", err)
		return 1
	}
	return 0
}
