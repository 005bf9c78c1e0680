package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/tools/acquire"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// ReadBounded reads a file that the policies let in.
func ReadBounded(ctx context.Context, c *Console, name string, limit int64) ([]byte, error) {
	data, err := ReadFile(ctx, c, name, limit)
	switch {
	case errors.Is(err, ErrTooLarge):
		return nil, Findings("nothing was proposed: a file is too large", diag.List{{
			Rule: acquire.RuleInput, Severity: diag.Error, Pos: diag.Pos{File: name}, Fix: "make it smaller",
			Message: fmt.Sprintf("the file has more than %d bytes, the most that limits.yaml lets in", limit),
		}})
	case err != nil:
		return nil, Unread("the given file", err)
	}
	return data, nil
}

// Inside reports whether a file lies below a folder.
func Inside(dir, file string) bool {
	abs, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(dir, abs)
	return err == nil && filepath.IsLocal(rel)
}

// ReadText takes text from a flag, a file or standard input; two of them are a
// mistake.
func ReadText(ctx context.Context, c *Console, flag, file string, stdin bool) (string, error) {
	given := 0
	for _, is := range []bool{flag != "", file != "", stdin} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return "", Usage("the text is given twice: use one of -m, -f and -")
	case stdin:
		file = "-"
	case file == "":
		return flag, nil
	}
	src, err := ReadDraft(ctx, c, file)
	return string(src), err
}

// ReadInput reads the value of --input.
func ReadInput(ctx context.Context, c *Console, given string) (json.RawMessage, error) {
	name, isFile := strings.CutPrefix(given, "@")
	switch {
	case isFile:
		name = filepath.Clean(name)
		if name == "-" {
			name = "./-"
		}
	case given != "-":
		return json.RawMessage(given), nil
	}
	f := Open(ctx, c, name)
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, tool.MaxInput+1))
	if err != nil {
		return nil, Unread("the input", err)
	}
	return data, nil
}

// maxDraft bounds a draft, which may carry its files.
const maxDraft = 8 << 20

// ReadDraft reads a draft from a file, or from standard input if it is called "-".
func ReadDraft(ctx context.Context, c *Console, name string) ([]byte, error) {
	src, err := ReadFile(ctx, c, name, maxDraft)
	if errors.Is(err, ErrTooLarge) {
		return nil, Usage("the draft %s is larger than %d MiB; hand over its files with --files", name, maxDraft>>20)
	}
	if err != nil {
		return nil, Unread("the draft", err)
	}
	return src, nil
}

// FolderBounds are how much of a folder a proposal takes, by limits.yaml in force.
func FolderBounds(cur workspace.Session) folder.Bounds {
	l := cur.Policies.Limits
	return folder.Bounds{Files: l.FilesPerProposal, FileBytes: l.FileBytes, Bytes: l.ProposalBytes}
}

// InputFlag adds the flag with the inputs of a run, for Inputs.
func InputFlag(cmd *cobra.Command, texts *[]string) {
	cmd.Flags().StringArrayVar(texts, "input", nil, "give the run an input, as `NAME=TEXT`; may be repeated")
}

// Inputs reads the inputs of a run.
func Inputs(texts []string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if _, twice := out[name]; !ok || twice {
			return nil, Usage("--input %q: write NAME=TEXT, and each name once", text)
		}
		out[name] = value
	}
	return out, nil
}
