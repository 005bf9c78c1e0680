package fts5

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"strings"
)

//go:embed search.py
var program string

// Document is what is searched: name, tags, description and body.
type Document [4]string

// Index is a running process.
type Index struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// New starts a process and hands it all documents, one JSON array a line, up to an empty
// line. It fails where there is no Python with FTS5.
func New(ctx context.Context, documents iter.Seq2[Document, error]) (*Index, error) {
	x := &Index{cmd: exec.CommandContext(ctx, "python3", "-c", program)}
	var err error
	if x.in, err = x.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := x.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	x.out = bufio.NewReader(out)
	if err := x.cmd.Start(); err != nil {
		return nil, err
	}
	if err = x.fill(documents); err == nil {
		_, err = x.out.ReadString('\n') // ready
	}
	if err != nil {
		_ = x.Close()
		return nil, fmt.Errorf("python3 with SQLite's FTS5: %w", err)
	}
	return x, nil
}

func (x *Index) fill(documents iter.Seq2[Document, error]) error {
	w := bufio.NewWriter(x.in)
	enc := json.NewEncoder(w)
	for d, err := range documents {
		if err != nil {
			return err
		}
		if err := enc.Encode(d); err != nil {
			return err
		}
	}
	_, _ = w.WriteString("\n") // Flush returns its error
	return w.Flush()
}

// Find asks for the ten best matches of any of the words, and returns the seconds
// that it took and how many there were.
func (x *Index) Find(words string) (seconds float64, found int, err error) {
	if _, err = fmt.Fprintln(x.in, strings.ReplaceAll(words, "\n", " ")); err != nil {
		return 0, 0, err
	}
	answer, err := x.out.ReadString('\n')
	if err != nil {
		return 0, 0, err
	}
	var ns float64
	_, err = fmt.Sscan(answer, &ns, &found)
	return ns / 1e9, found, err
}

// Close ends the process.
func (x *Index) Close() error {
	_ = x.in.Close()
	return x.cmd.Wait()
}
