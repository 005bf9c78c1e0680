// Command assent lets AI agents extend themselves under control: proposals,
// reviews and merges of what agents can do, kept in a Git repository.
package main

import (
	"os"

	"github.com/assent-dev/assent/engine/cli"
)

func main() { os.Exit(cli.Main()) }
