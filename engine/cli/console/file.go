package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxFile bounds a text that the user names, such as a policy or a checkpoint.
const MaxFile = 16 << 20

// ErrTooLarge means that a file has more bytes than its reader takes.
var ErrTooLarge = errors.New("the file is too large")

// Open opens a file that the user names, or standard input if it is called "-". It and each read end with
// ctx, because a pipe may have no writer, or one that writes nothing. A file that cannot be opened is an
// error of the first read.
func Open(ctx context.Context, c *Console, name string) io.ReadCloser {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { _ = in.CloseWithError(ctx.Err()) })
	go func() { _ = in.CloseWithError(copyFile(in, c, name)) }()
	return out
}

func copyFile(to io.Writer, c *Console, name string) error {
	from := c.World.In
	if name != "-" {
		f, err := os.Open(name) //nolint:gosec // the user names it
		if err != nil {
			return err
		}
		defer f.Close()
		from = f
	}
	_, err := io.Copy(to, from)
	return err
}

// ReadFile reads a file as Open does, and refuses one of more than most bytes with ErrTooLarge.
func ReadFile(ctx context.Context, c *Console, name string, most int64) ([]byte, error) {
	f := Open(ctx, c, name)
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes: %w", name, most, ErrTooLarge)
	}
	return data, err
}

// Unread says that a file which the user names could not be read.
func Unread(what string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return Usage("read %s: %w", what, err)
}

// WriteFile writes a file that the user names. It ends with ctx, because a pipe may have no reader.
func WriteFile(ctx context.Context, name string, data []byte) error {
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(name, data, 0o666) }() //nolint:gosec // as the user's mask has it
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
