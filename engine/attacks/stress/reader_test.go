package stress_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// reader asks one `git cat-file --batch` for objects.
type reader struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err bytes.Buffer
}

func (p *place) reader() (*reader, error) {
	r := &reader{cmd: exec.Command("git", "cat-file", "--batch")}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr = p.dir, p.env, &r.err
	in, err := r.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.in, r.out = in, bufio.NewReader(out)
	return r, r.cmd.Start()
}

func (r *reader) close() error {
	return errors.Join(r.in.Close(), r.cmd.Wait())
}

// thing is an object as git shows it.
type thing struct {
	hash, kind string
	data       []byte
}

// read returns the object that a revision names, a zero thing if it is missing.
func (r *reader) read(revision string) (thing, error) {
	if _, err := fmt.Fprintln(r.in, revision); err != nil {
		return thing{}, fmt.Errorf("git cat-file: %w", err)
	}
	head, err := r.out.ReadString('\n')
	if err != nil {
		return thing{}, fmt.Errorf("git cat-file %s: %w: %s", revision, err, r.err.String())
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return thing{}, nil // missing, ambiguous
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return thing{}, nil //nolint:nilerr // "NAME missing" with a name of two words
	}
	o := thing{hash: fields[0], kind: fields[1], data: make([]byte, size)}
	if _, err = io.ReadFull(r.out, o.data); err == nil {
		_, err = r.out.Discard(1)
	}
	return o, err
}

// commit is a commit parsed from its bytes.
type commit struct {
	hash, tree string
	parents    []string
	message    string
}

func (r *reader) commit(revision string) (commit, error) {
	o, err := r.read(revision)
	if err != nil {
		return commit{}, err
	}
	if o.kind != "commit" {
		return commit{}, fmt.Errorf("%s is %q and no commit", revision, o.kind)
	}
	c := commit{hash: o.hash}
	head, message, _ := strings.Cut(string(o.data), "\n\n")
	c.message = message
	for line := range strings.SplitSeq(head, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		}
	}
	return c, nil
}

// trailer returns the value of a line "Key: value" in the last paragraph.
func (c commit) trailer(key string) string {
	text := strings.TrimRight(c.message, "\n")
	for line := range strings.SplitSeq(text[strings.LastIndex(text, "\n\n")+1:], "\n") {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			return value
		}
	}
	return ""
}

// ask runs git in the place's repository and returns its output. If git fails, the error holds
// git's messages.
func (p *place) ask(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return string(out), fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}

// common returns the folder of refs and objects.
func (p *place) common() (string, error) {
	out, err := p.ask("rev-parse", "--path-format=absolute", "--git-common-dir")
	return strings.TrimSpace(out), err
}
