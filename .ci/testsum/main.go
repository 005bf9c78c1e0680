// Command testsum reads `go test -json` on standard input, shows the closing line
// of each package and whatever failed, counts, and fails when a test failed or,
// with CI=true, when one was skipped.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// event is what test2json writes.
type event struct {
	Action, Package, Test, Output string
}

// maySkip are the tests that cannot run everywhere, and inputs that say nothing.
var maySkip = regexp.MustCompile(`engine/gate/duplicate TestEvaluate$` + // measures folders that are not in the repository
	`|engine/proposals/scanner TestUnread$` + // whoever is root may read everything; a process's memory stands for it
	`|engine/attacks/repositories TestRepositories/reftable-by-git$` + // needs git 2.45; the row "reftable" makes one by hand
	`|engine/forge/github TestEmulator/` + // what the emulator of GitHub lacks
	`|engine/forge/github TestDocumented/Narrow$` + // GitHub has no scope for reading; TestDenied has the others
	`|engine/forge/hosted Test.*/Unsigned$` + // accounts decide there without a signature
	`|engine/sandbox TestTogether$` + // control groups, which not every machine lets us make
	`|/TestWindows` + // what only Windows has
	`| Fuzz\w*/`) // a seed that its target leaves out

func main() { os.Exit(run()) }

func run() int {
	output := map[string][]string{}
	var failed, skipped, others []string
	passed := 0
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil {
			others = append(others, in.Text())
			continue
		}
		id := e.Package + " " + e.Test
		switch {
		case e.Action == "output" || e.Action == "build-output":
			if !strings.HasPrefix(e.Output, "=== ") {
				output[id] = append(output[id], e.Output)
			}
			if e.Test == "" && closing(e.Output) {
				fmt.Print(e.Output)
			}
		case e.Action == "fail":
			failed = append(failed, id)
		case e.Test == "":
		case e.Action == "pass":
			passed++
		case e.Action == "skip":
			skipped = append(skipped, id)
		}
	}
	for _, id := range failed {
		fmt.Printf("--- %s\n%s", id, strings.Join(output[id], ""))
	}
	for id, lines := range output {
		if strings.HasPrefix(id, " ") { // what a build says belongs to no package
			fmt.Print(strings.Join(lines, ""))
		}
	}
	fmt.Print(strings.Join(others, "\n"))
	return verdict(passed, failed, skipped, output)
}

// verdict prints the counts and returns the exit code.
func verdict(passed int, failed, skipped []string, output map[string][]string) int {
	refused := 0
	for _, id := range skipped {
		mark := "skipped, as it may"
		if !maySkip.MatchString(id) {
			mark = "skipped"
			refused++
		}
		if refused > 0 || !strings.Contains(id, " Fuzz") {
			fmt.Printf("%s: %s: %s\n", mark, id, reason(output[id]))
		}
	}
	for _, id := range failed { // once more, where the end of a long output is looked at
		fmt.Printf("failed: %s: %s\n", id, last(output[id]))
	}
	fmt.Printf("tests: %d passed, %d failed, %d skipped (%d of them may)\n", passed, len(failed), len(skipped), len(skipped)-refused)
	if len(failed) > 0 || passed == 0 || refused > 0 && os.Getenv("CI") == "true" {
		return 1
	}
	return 0
}

// closing reports whether a line is a package's last one.
func closing(line string) bool {
	for _, start := range []string{"ok  ", "FAIL", "?   ", "---", "panic"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// last is the last thing that a test reported.
func last(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if strings.Contains(line, ".go:") {
			return strings.TrimSpace(line)
		}
	}
	return "see above"
}

// reason is what a skipped test said.
func reason(lines []string) string {
	for _, line := range lines {
		if strings.Contains(line, ".go:") {
			return strings.TrimSpace(line)
		}
	}
	return "no reason given"
}
