package console

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/lmittmann/tint"
)

// Logger writes lines for a person to a terminal, and JSON elsewhere or if asked. Both escape text
// by others.
func Logger(c *Console) *slog.Logger {
	if c.World.ErrTerminal && !c.JSON {
		return slog.New(tint.NewTextHandler(c.World.Err, &tint.Options{TimeFormat: time.TimeOnly, ReplaceAttr: cleaned}))
	}
	return slog.New(slog.NewJSONHandler(c.World.Err, &slog.HandlerOptions{ReplaceAttr: cleaned}))
}

// cleaned makes values safe for readers of the log, and leaves out empty ones.
func cleaned(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		if v == "" {
			return slog.Attr{}
		}
		a.Value = slog.StringValue(OneLine(v))
	case error:
		a.Value = slog.StringValue(OneLine(v.Error()))
	}
	return a
}

// log writes a line that was meant for a terminal into the log instead.
func log(c *Console, level slog.Level, format string, args []any) {
	c.Log.Log(context.Background(), level, strings.TrimSpace(ansi.Strip(fmt.Sprintf(format, args...))))
}
