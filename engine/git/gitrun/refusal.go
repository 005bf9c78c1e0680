package gitrun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
)

// Refusal reports that git was not run, because the repository's own configuration has a
// setting that would make git run a program or change how it reaches a server.
type Refusal struct {
	Setting
	// Line is the line of the setting in its file; 0 if unknown.
	Line int
}

// Error implements error.
func (r *Refusal) Error() string {
	at := r.Origin
	if at == "" {
		at = "the repository's configuration"
	}
	if r.Line > 0 {
		at = fmt.Sprintf("%s, line %d,", at, r.Line)
	}
	return fmt.Sprintf("%s sets %s to %.80q: a repository's own configuration may choose no program, login, proxy or certificate", at, displayKey(r.Key), r.Value)
}

// Fix returns the command to type.
func (r *Refusal) Fix() string {
	from := "--local"
	switch {
	case r.Scope == "worktree":
		from = "--worktree"
	case r.Origin != "" && filepath.Base(r.Origin) != "config":
		from = "--file " + quoted(r.Origin)
	}
	return fmt.Sprintf("remove it: git config %s --unset-all %s; if you want it, put it into your own configuration: git config --global %s VALUE",
		from, quoted(r.Key), quoted(r.Key))
}

// Refusals lists the settings of a repository for which [Command] refuses an online run.
func Refusals(settings []Setting) []*Refusal { return refusals(settings, Online) }

func refusals(settings []Setting, reach Reach) []*Refusal {
	signs := false
	for _, s := range settings {
		if strings.EqualFold(s.Key, "push.gpgsign") {
			signs = !strings.EqualFold(s.Value, "false")
		}
	}
	var out []*Refusal
	for _, s := range settings {
		if s.fromUser() {
			continue
		}
		if runsProgramOffline(s) || reach == Online && choosesTransport(s, signs) {
			out = append(out, &Refusal{Setting: s})
		}
	}
	return out
}

// vet refuses a call that would run a program of the repository's choice.
func (c Call) vet(ctx context.Context) error {
	if c.Reach == Inside && readsOnly(c.Args) {
		return nil
	}
	settings, err := Settings(ctx, c)
	if err != nil {
		return err
	}
	found := refusals(settings, c.Reach)
	//defence:no-program-of-the-configuration
	if len(found) > 0 {
		found[0].Line = lineOf(absolute(c.Dir, found[0].Origin), found[0].Setting)
		return found[0]
	}
	return nil
}

// readsOnly reports whether a command starts no program, under any configuration.
func readsOnly(args []string) bool {
	switch args[0] {
	case "config", "version", "rev-parse", "ls-files":
		return true
	}
	return false
}

func absolute(dir, file string) string {
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// lineOf finds the line of a setting in a file in the usual layout; 0 if not found.
func lineOf(file string, s Setting) int {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxConfig {
		return 0
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	section, sub, name := s.parts()
	header := section
	if sub != "" {
		header += ` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(sub) + `"`
	}
	here, n, found := false, 0, 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			head, rest, _ := strings.Cut(line[1:], "]")
			here, line = strings.EqualFold(head, header), strings.TrimSpace(rest)
		}
		key, value, _ := strings.Cut(line, "=")
		if here && strings.EqualFold(strings.TrimSpace(key), name) && (found == 0 || strings.TrimSpace(value) == s.Value) {
			found = n
		}
	}
	return found
}

// maxConfig bounds the size of a configuration that lineOf searches.
const maxConfig = 1 << 20

// quoted returns a word quoted for a shell.
func quoted(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return names.ForShell(s)
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9._/:@%+=-]+$`)

// displayKey returns a key for display: a subsection may contain any character.
func displayKey(key string) string {
	if plainWord.MatchString(key) {
		return key
	}
	return fmt.Sprintf("%.200q", key)
}
