package console

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
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
func ReadBounded(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, Usage("read the given file: %v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, Usage("read the given file: %v", err)
	}
	if int64(len(data)) > limit {
		return nil, Findings("nothing was proposed: a file is too large", diag.List{{
			Rule: acquire.RuleInput, Severity: diag.Error, Pos: diag.Pos{File: name}, Fix: "make it smaller",
			Message: fmt.Sprintf("the file has more than %d bytes, the most that limits.yaml lets in", limit),
		}})
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
func ReadText(c *Console, flag, file string, stdin bool) (string, error) {
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
	src, err := ReadDraft(c, file)
	return string(src), err
}

// ReadInput reads the value of --input.
func ReadInput(c *Console, given string) (json.RawMessage, error) {
	var data []byte
	var err error
	switch {
	case given == "-":
		data, err = io.ReadAll(io.LimitReader(c.World.In, tool.MaxInput+1))
	case strings.HasPrefix(given, "@"):
		var f *os.File
		if f, err = os.Open(filepath.Clean(given[1:])); err == nil {
			defer f.Close()
			data, err = io.ReadAll(io.LimitReader(f, tool.MaxInput+1))
		}
	default:
		return json.RawMessage(given), nil
	}
	if err != nil {
		return nil, &Failure{Code: ExitUsage, Err: fmt.Errorf("read the input: %w", err)}
	}
	return data, nil
}

// maxDraft bounds a draft, which may carry its files.
const maxDraft = 8 << 20

// ReadDraft reads a draft from a file, or from standard input if it is called "-".
func ReadDraft(c *Console, name string) ([]byte, error) {
	in := c.World.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, Usage("read the draft: %v", err)
		}
		defer f.Close()
		in = f
	}
	src, err := io.ReadAll(io.LimitReader(in, maxDraft+1))
	if err != nil {
		return nil, fmt.Errorf("read the draft %s: %w", name, err)
	}
	if len(src) > maxDraft {
		return nil, Usage("the draft %s is larger than %d MiB; hand over its files with --files", name, maxDraft>>20)
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
