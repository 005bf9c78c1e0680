package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
)

// scene is one part of the demo.
type scene struct {
	title, why string
	acts       []act
}

// act is one thing that happens on the stage.
type act interface {
	perform(ctx context.Context, s *stage) error
}

// stage is the place and the state of a demo.
type stage struct {
	root, cwd string // absolute
	program   string
	env       []string
	audience  Audience
	scene     string
	results   []Result
	ids       map[string]string // proposals by their names in the script
	explained bool              // whether it was explained why a proposal is named by its branch
}

func (s *stage) perform(ctx context.Context, acts []act) error {
	for _, a := range acts {
		if err := a.perform(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// did records a line that the demo did itself instead of starting a process.
func (s *stage) did(line string) {
	s.audience.Command(line)
	s.results = append(s.results, Result{Title: s.scene, Command: line, Expected: []int{0}})
}

// note is a sentence of narration.
type note string

func (n note) perform(_ context.Context, s *stage) error {
	s.audience.Note(string(n))
	return nil
}

// typed is a line for the shell alone, which the stage has seen to already.
type typed string

func (t typed) perform(_ context.Context, s *stage) error {
	s.did(string(t))
	return nil
}

// enter goes into a folder below the current one.
type enter string

func (e enter) perform(_ context.Context, s *stage) error {
	s.cwd = filepath.Join(s.cwd, filepath.FromSlash(string(e)))
	s.did("cd " + Quote(string(e)))
	return nil
}

// file writes a file, with a path from the current folder.
type file struct{ path, text string }

func (f file) perform(_ context.Context, s *stage) error {
	if !strings.HasSuffix(f.text, "\n") {
		f.text += "\n"
	}
	full, err := s.folderFor(f.path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(full, []byte(f.text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	s.did(hereDocument("> "+Quote(f.path), f.text))
	return nil
}

// appended puts text at the end of a file that is there.
type appended struct{ path, text string }

func (a appended) perform(_ context.Context, s *stage) error {
	if err := appendTo(filepath.Join(s.cwd, filepath.FromSlash(a.path)), []byte(a.text)); err != nil {
		return fmt.Errorf("write %s: %w", a.path, err)
	}
	s.did(hereDocument(">> "+Quote(a.path), a.text))
	return nil
}

func appendTo(full string, data []byte) error {
	f, err := os.OpenFile(full, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// folderFor makes the folder of a file, unless it is there, and returns the file's
// whole path.
func (s *stage) folderFor(rel string) (string, error) {
	full := filepath.Join(s.cwd, filepath.FromSlash(rel))
	if _, err := os.Stat(filepath.Dir(full)); err == nil {
		return full, nil
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return "", fmt.Errorf("make the folder of %s: %w", rel, err)
	}
	s.did("mkdir -p " + Quote(path.Dir(rel)))
	return full, nil
}

// addition puts the bytes of a file of the visitor's at the end of another.
type addition struct{ from, path string }

func (a addition) perform(_ context.Context, s *stage) error {
	data, err := os.ReadFile(a.from)
	if err != nil {
		return fmt.Errorf("read %s: %w", a.from, err)
	}
	full, err := s.folderFor(a.path)
	if err != nil {
		return err
	}
	if err := appendTo(full, data); err != nil {
		return fmt.Errorf("write %s: %w", a.path, err)
	}
	s.did("cat " + Quote(a.from) + " >> " + Quote(a.path))
	return nil
}

// line is a command with its expectations. An argument "@name" means the proposal that was
// remembered under that name.
type line struct {
	args     []string
	exits    []int
	shows    []string // must be in the output
	hides    []string // must not
	remember string
	then     func(exit int) []act
}

// run is a command that shall succeed.
func run(args ...string) line { return line{args: args, exits: []int{0}} }

func (l line) exit(codes ...int) line      { l.exits = codes; return l }
func (l line) showing(what ...string) line { l.shows = what; return l }
func (l line) hiding(what ...string) line  { l.hides = what; return l }

// as remembers the proposal that the output begins with.
func (l line) as(name string) line { l.remember = name; return l }

// next plays on depending on the exit code.
func (l line) next(then func(exit int) []act) line { l.then = then; return l }

func (l line) perform(ctx context.Context, s *stage) error {
	var args, words []string
	for _, a := range l.args {
		actual, word := s.refer(a)
		if strings.HasPrefix(word, `"$(`) && !s.explained {
			s.explained = true
			s.audience.Note("Two ids begin alike now; the branch tells them apart, because only the open one still has it.")
		}
		args, words = append(args, actual), append(words, word)
	}
	r := Result{Title: s.scene, Command: strings.Join(words, " "), Expected: l.exits}
	s.audience.Command(r.Command)
	if err := s.execute(ctx, args, &r); err != nil {
		return err
	}
	s.results = append(s.results, r)
	s.audience.Result(r)
	if what := l.broken(r); what != "" {
		return &Unexpected{Scene: s.scene, Command: r.Command, What: what, Dir: s.root}
	}
	if l.remember != "" {
		id, ok := firstID(r.Stdout)
		if !ok && r.Exit == 0 {
			return &Unexpected{Scene: s.scene, Command: r.Command, What: "it did not say the id of a proposal", Dir: s.root}
		}
		s.ids[l.remember] = id
	}
	if l.then != nil {
		return s.perform(ctx, l.then(r.Exit))
	}
	return nil
}

// broken says which expectation a result does not meet; "" when it meets all.
func (l line) broken(r Result) string {
	if !slices.Contains(l.exits, r.Exit) {
		return fmt.Sprintf("expected exit code %s, got %d", codes(l.exits), r.Exit)
	}
	out := r.Stdout + r.Stderr
	for _, want := range l.shows {
		if !strings.Contains(out, want) {
			return fmt.Sprintf("expected the output to have %q in it", want)
		}
	}
	for _, never := range l.hides {
		if strings.Contains(out, never) {
			return fmt.Sprintf("expected the output not to have %q in it", never)
		}
	}
	return ""
}

func codes(cs []int) string {
	var out []string
	for _, c := range cs {
		out = append(out, fmt.Sprint(c))
	}
	return strings.Join(out, " or ")
}

// execute runs a command and fills in the result.
func (s *stage) execute(ctx context.Context, args []string, r *Result) error {
	program := args[0]
	if program == "assent" {
		program = s.program
	}
	cmd := exec.CommandContext(ctx, program, args[1:]...)
	cmd.Dir, cmd.Env = s.cwd, append(slices.Clone(s.env), "PWD="+s.cwd)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	r.Stdout, r.Stderr, r.Exit = out.String(), errs.String(), cmd.ProcessState.ExitCode()
	var exit *exec.ExitError
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("run %s: %w", r.Command, err)
	}
	return nil
}

// firstID finds the proposal that an output is about: the first line that begins
// with an id.
func firstID(out string) (string, bool) {
	for l := range strings.Lines(out) {
		if fields := strings.Fields(l); len(fields) > 0 {
			if _, _, ok := names.ParseProposalID(fields[0]); ok {
				return fields[0], true
			}
		}
	}
	return "", false
}

// refer returns the value of an argument, and the word to type for it. A proposal is typed so that
// it means the same where ids end in other characters: by its beginning; if another id begins so,
// by its branch, which merged ones lack.
func (s *stage) refer(arg string) (actual, word string) {
	name, ok := strings.CutPrefix(arg, "@")
	if !ok || s.ids[name] == "" {
		return arg, Quote(arg)
	}
	id := s.ids[name]
	head, random, _ := names.ParseProposalID(id)
	for _, other := range s.ids {
		if other != id && strings.HasPrefix(other, head) {
			return id, fmt.Sprintf(`"$(git branch --format='%%(refname:short)' --list 'proposal/%s-%s')"`, head, strings.Repeat("?", len(random)))
		}
	}
	return head, Quote(head)
}
