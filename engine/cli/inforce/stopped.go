package inforce

import (
	"context"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/workspace"
)

// withStops marks the stopped capabilities in a list.
func withStops(ctx context.Context, cur workspace.Session, list []capabilityJSON) error {
	j, err := cur.Stops(ctx)
	if err != nil {
		return err
	}
	for i, p := range list {
		list[i].Stopped = stopOf(j, p.Name)
	}
	return nil
}

func stopOf(j stop.Judged, name string) *stop.Held {
	if h, stopped := j.Of(names.Fold(name)); stopped {
		return &h
	}
	return nil
}

// stopMark is the mark after the status in a list.
func stopMark(c *console.Console, h *stop.Held) string {
	if h == nil {
		return ""
	}
	return " " + c.Style.Bad("stopped")
}
