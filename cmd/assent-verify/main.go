// Command assent-verify checks, without the engine, which commit of a workspace is in force.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/cmd/assent-verify/check"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

var expected, keys = regexp.MustCompile(`^([0-9a-f]{40}@[0-9a-f]{40})?$`), regexp.MustCompile(`^(SHA256:[A-Za-z0-9+/]{43}(,|$))*$`)

// run exits with 0 where all of main is in force, 1 where something is not, 2 for a wrong command line and 4 where
// it could not be found out.
func run(args []string, out, errs io.Writer) int {
	f := flag.NewFlagSet("assent-verify [flags] [REPOSITORY]", flag.ContinueOnError)
	f.SetOutput(errs)
	unsigned := f.Bool("unsigned", false, "believe attestations that neither a human nor a witness signed")
	expect := f.String("expect", "", "`WORKSPACE@COMMIT` that must be this workspace and have been in force")
	accept := f.String("reanchor", "", "`KEY`, as SHA256:..., under which re-anchors are accepted; several with commas between them")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil { // which Parse printed, with the usage
		return 2
	}
	if f.NArg() > 1 || !expected.MatchString(*expect) || !keys.MatchString(*accept) {
		f.Usage()
		return 2
	}
	v, err := check.Open(cmp.Or(f.Arg(0), "."), *unsigned, strings.Split(*accept, ",")...)
	var res check.Result
	if err == nil {
		defer v.Close()
		res, err = v.Check(time.Now())
	}
	if err != nil {
		fmt.Fprintf(errs, "assent-verify: %q\n", err)
		return 4
	}
	workspace, commit, given := strings.Cut(*expect, "@")
	if given && (workspace != res.Workspace || !slices.Contains(res.Past, commit)) {
		res.Blocked = append(res.Blocked, check.Blocked{Commit: commit, Why: "it was never in force in workspace " + workspace + ", as was expected"})
	}
	text, _ := json.MarshalIndent(res, "", "  ")
	fmt.Fprintf(out, "%s\n", text)
	return min(len(res.Blocked), 1)
}
