package proposals_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")
	scriptPrefix = regexp.MustCompile(`^(exec|exits \d) `)
	remark       = regexp.MustCompile(` +# .*$`)
	assigned     = regexp.MustCompile(`^([A-Z_]+=\S+ )+`)
)

// The commands of the walk in docs/gate.md are those that the script runs, in its order.
func TestWalkIsRun(t *testing.T) {
	read := func(path ...string) string {
		data, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	_, walk, found := strings.Cut(read("..", "..", "..", "docs", "gate.md"), "\n## A walk through it\n")
	if !found {
		t.Fatal("docs/gate.md has no walk")
	}
	var run []string
	for line := range strings.Lines(read("testdata", "script", "gate.txtar")) {
		run = append(run, scriptPrefix.ReplaceAllString(strings.TrimSpace(line), ""))
	}
	shown := 0
	for _, block := range consoleBlock.FindAllStringSubmatch(walk, -1) {
		for line := range strings.Lines(block[1]) {
			command, isCommand := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			if !isCommand {
				continue
			}
			command = assigned.ReplaceAllString(remark.ReplaceAllString(command, ""), "")
			at := slices.Index(run, command)
			if at < 0 {
				t.Errorf("the script does not run, after what came before: %s", command)
				continue
			}
			run, shown = run[at+1:], shown+1
		}
	}
	if shown < 20 {
		t.Errorf("%d commands are shown", shown)
	}
}
