// Command assent-verify checks, without the engine, which commit of a workspace is in force.
package main

import (
	"os"

	"github.com/assent-dev/assent/cmd/assent-verify/check"
)

func main() { os.Exit(check.Run(os.Args[1:], os.Stdout, os.Stderr)) }
