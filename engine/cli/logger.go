package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/lmittmann/tint"
)

// logger writes lines for a person to a terminal, and JSON elsewhere or if asked.
// What others wrote is cleaned in both.
func (c *console) logger() *slog.Logger {
	if c.world.ErrTerminal && !c.json {
		return slog.New(tint.NewTextHandler(c.world.Err, &tint.Options{TimeFormat: time.TimeOnly, ReplaceAttr: cleaned}))
	}
	return slog.New(slog.NewJSONHandler(c.world.Err, &slog.HandlerOptions{ReplaceAttr: cleaned}))
}

// cleaned makes values safe for whoever reads the log, and leaves out empty ones.
func cleaned(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		if v == "" {
			return slog.Attr{}
		}
		a.Value = slog.StringValue(oneLine(v))
	case error:
		a.Value = slog.StringValue(oneLine(v.Error()))
	}
	return a
}

// logged writes a line that was meant for a terminal into the log instead.
func (c *console) logged(level slog.Level, format string, args []any) {
	c.log.Log(context.Background(), level, strings.TrimSpace(ansi.Strip(fmt.Sprintf(format, args...))))
}
