package respond

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestWithin: neither a panic nor a function that never returns keeps an answer back.
func TestWithin(t *testing.T) {
	out, err := within(t.Context(), time.Minute, func(context.Context) (int, error) { return 1, errors.ErrUnsupported })
	if out != 1 || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%d, %v", out, err)
	}
	if _, err := within(t.Context(), time.Minute, func(context.Context) (int, error) { panic("broken") }); err == nil {
		t.Error("a panic is no error")
	}
	forever := make(chan int)
	defer close(forever)
	if _, err := within(t.Context(), time.Millisecond, func(context.Context) (int, error) { return <-forever, nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a function that hangs: %v", err)
	}
}
