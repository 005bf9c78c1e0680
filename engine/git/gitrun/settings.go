package gitrun

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Setting is one entry of Git's configuration.
type Setting struct {
	// Scope is "system", "global", "local", "worktree" or "command".
	Scope string
	// Origin is the file as git names it; empty if the setting is from no file.
	Origin string
	// Key is section.subsection.name; section and name are in lower case.
	Key, Value string
}

// fromUser reports whether the setting is the user's. Everything else is the repository's, including
// scopes that a later git adds.
func (s Setting) fromUser() bool {
	return s.Scope == "system" || s.Scope == "global" || s.Scope == "command"
}

// parts splits a key; sub is empty for section.name.
func (s Setting) parts() (section, sub, name string) {
	first, last := strings.IndexByte(s.Key, '.'), strings.LastIndexByte(s.Key, '.')
	if first < 0 {
		return s.Key, "", ""
	}
	if first < last {
		sub = s.Key[first+1 : last]
	}
	return strings.ToLower(s.Key[:first]), sub, strings.ToLower(s.Key[last+1:])
}

// Settings lists the configuration that a call obeys, with includes, in the order in which git
// reads it. Listing starts no other program.
func Settings(ctx context.Context, c Call) ([]Setting, error) {
	c.Reach, c.Args = Inside, []string{"config", "--list", "--includes", "--show-scope", "--show-origin", "-z"}
	cmd, err := command(ctx, c)
	if err != nil {
		return nil, err
	}
	out, err := output(ctx, cmd, "", "config")
	if err != nil {
		return nil, fmt.Errorf("reading Git's configuration: %w", err)
	}
	return parseSettings(string(out))
}

func parseSettings(out string) ([]Setting, error) {
	if out == "" {
		return nil, nil
	}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	if len(fields)%3 != 0 {
		return nil, errors.New("reading Git's configuration: git config --list has an unexpected output format")
	}
	var all []Setting
	for i := 0; i < len(fields); i += 3 {
		key, value, valued := strings.Cut(fields[i+2], "\n")
		if !valued {
			value = "true" // a name without a value
		}
		file, isFile := strings.CutPrefix(fields[i+1], "file:")
		if !isFile {
			file = ""
		}
		all = append(all, Setting{Scope: fields[i], Origin: file, Key: key, Value: value})
	}
	return all, nil
}
