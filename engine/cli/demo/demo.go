package demo

import (
	"context"
	"fmt"
	"strings"
)

// Options are the content, the place and the program of a demo.
type Options struct {
	// Dir is the demo's folder, an absolute path; it must not exist, or be empty. "" is a new
	// temporary folder.
	Dir string
	// Skill is a skill's folder that replaces the good proposal, Poison a file or folder that
	// replaces the poisoned one. "" is the demo's own.
	Skill, Poison string
	// Program is the path of assent itself.
	Program string
	// Env is the environment that the demo was started in.
	Env []string
}

// Audience receives the events of a demo as they happen.
type Audience interface {
	// Scene begins the next part: its title and its purpose.
	Scene(title, why string)
	// Note is one more sentence of the narration.
	Note(text string)
	// Command is called before a line is run, with the line as one would type it.
	Command(line string)
	// Result is called after it ran. Lines that show nothing have none.
	Result(r Result)
}

// Result is the result of one line.
type Result struct {
	Title    string `json:"title"`
	Command  string `json:"command"`
	Exit     int    `json:"exit"`
	Expected []int  `json:"expected"`
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
}

// Unexpected says which expectation failed. Everything is left as it was then.
type Unexpected struct {
	Scene, Command, What, Dir string
}

// Error names the scene, the command and the failed expectation.
func (u *Unexpected) Error() string {
	return fmt.Sprintf("%q, command `%s`: %s", u.Scene, u.Command, u.What)
}

// Start makes the demo's folder and returns a demo that can be played there. The error is a
// *BadInput if the options are wrong, else a failure of the environment.
func Start(o Options) (*Demo, error) {
	skill, err := visitorSkill(o.Skill)
	if err != nil {
		return nil, err
	}
	poison, err := visitorPoison(o.Poison)
	if err != nil {
		return nil, err
	}
	if err := lookForGit(); err != nil {
		return nil, err
	}
	dir, err := freshFolder(o.Dir)
	if err != nil {
		return nil, err
	}
	return &Demo{dir: dir, program: o.Program, env: surroundings(o.Env, dir), scenes: scenes(dir, skill, poison)}, nil
}

// Demo is a demo that is ready to be played.
type Demo struct {
	dir, program string
	env          []string
	scenes       []scene
}

// Dir is the folder where everything happens; it is kept.
func (d *Demo) Dir() string { return d.dir }

// Play plays all scenes to the audience. It returns the results up to the end or to the first
// failure: an *Unexpected, or a failure of the environment.
func (d *Demo) Play(ctx context.Context, a Audience) ([]Result, error) {
	s := &stage{root: d.dir, cwd: d.dir, program: d.program, env: d.env, audience: a, ids: map[string]string{}}
	for _, sc := range d.scenes {
		s.scene = sc.title
		a.Scene(sc.title, sc.why)
		if err := s.perform(ctx, sc.acts); err != nil {
			return s.results, err
		}
	}
	return s.results, nil
}

// BadInput says that something which the visitor named cannot be used.
type BadInput struct{ What, Hint string }

// Error describes the fault.
func (b *BadInput) Error() string { return b.What }

func badInput(hint, format string, args ...any) error {
	return &BadInput{What: strings.TrimSpace(fmt.Sprintf(format, args...)), Hint: hint}
}
