package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/assent-dev/assent/engine/cli/console"

	_ "github.com/assent-dev/assent/engine/base/heap" // collects late, from before all else
)

// Main runs the program of this process and returns its exit code.
func Main() int { return MainIn(console.Process()) }

// MainIn is Main in another world.
func MainIn(w console.World) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	return Run(ctx, os.Args[1:], w)
}
