package demo

// The demo's tool is composed, so that it runs within assent itself, on any machine.
const (
	toolName   = "reading-time"
	toolDraft  = "../drafts/" + toolName
	toolScript = toolDraft + "/scripts/main.star"
)

// provenTool has a tool refused until its tests hold.
func provenTool() scene {
	acts := []act{
		note("Smith proposes a tool. It divides and rounds down, so that a short note takes no time to read."),
	}
	for _, name := range []string{"SKILL.md", "capability.yaml", "tests.yaml"} {
		acts = append(acts, file{toolDraft + "/" + name, text(toolName + "/" + name)})
	}
	acts = append(acts,
		file{toolScript, text(toolName + "/rounded-down.star")},
		run("assent", "propose", toolDraft, "--group", "text", "--agent", "smith").showing("waits for").as("tool"),
		run("assent", "test", "@tool").exit(findings).showing(`answers {"minutes":0}, not {"minutes":1}`, "standard: happy path"),
		run("assent", "review", "@tool", "approve", "--reason", "looks right to me").showing("signed with"),
		run("assent", "merge", "@tool").exit(refused).showing("required test"),
		note("Your approval did not help: whoever merges runs the tests. Smith mends it."),
		file{toolScript, text(toolName + "/main.star")},
		run("assent", "update", "@tool", toolDraft, "--group", "text", "--agent", "smith").showing("waits for"),
	)
	acts = append(acts, approveAndMerge("tool", "rounds up")...)
	return scene{
		title: "A tool enters with tests that hold",
		why:   "The policies ask for evidence: a tool is merged only by somebody whose machine ran its tests.",
		acts: append(acts,
			run("assent", "run-tool", "reading_time", "--input", `{"text": "Meet at nine."}`).showing(`"minutes": 1`)),
	}
}

// quarantine calls the tool in a way that its tests do not cover, until it is called
// no more.
func quarantine() scene {
	fails := func(text string) line {
		return run("assent", "run-tool", "reading_time", "--input", `{"text": "`+text+`", "speed": 0}`, "--agent", "smith").exit(findings)
	}
	return scene{
		title: "A tool that fails is called no more",
		why:   "Nobody tested a speed of nothing. Three calls that fail in a row are a quarantine, for every process at once, and a proposal to mend it.",
		acts: []act{
			fails("Meet at nine.").showing("division by zero"),
			fails("Meet at ten."),
			fails("Meet at noon.").showing("quarantine", "mend-"+toolName),
			run("assent", "run-tool", "reading_time", "--input", `{"text": "Meet at nine."}`).exit(refused).showing("is red since"),
			run("assent", "health", "reading_time").exit(ok, findings).showing("red"),
			run("assent", "status").showing("mend-" + toolName),
		},
	}
}
