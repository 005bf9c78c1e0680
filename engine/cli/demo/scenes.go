package demo

import "embed"

// material holds the files that the demo's people and agents hand over.
//
//go:embed material
var material embed.FS

// text is one file of the material; they are part of the program, so a name that
// is not there is found by the first test.
func text(name string) string {
	data, _ := material.ReadFile("material/" + name)
	return string(data)
}

// Exit codes of assent that the demo expects.
const (
	ok       = 0
	findings = 1
	usage    = 2
	refused  = 3
)

// workspaceDir is the workspace within the demo's folder.
const workspaceDir = "agents"

// scenes is the whole demo. A visitor's skill or poison takes the place of the
// demo's own.
func scenes(dir string, skill, poison *offer) []scene {
	good, after := ownSkill(), run("assent", "list", "--group", ownGroup).hiding(ownName)
	if skill != nil {
		good, after = givenSkill(skill), run("assent", "list")
	}
	bad := ownPoison()
	if poison != nil {
		bad = givenPoison(poison)
	}
	return []scene{
		surroundingsScene(dir), begin(), good, soulEdit(), bad, protected(), pastTheGate(), provenTool(), quarantine(), undo(after), history(), rollback(),
	}
}

func surroundingsScene(dir string) scene {
	s := scene{
		title: "A place of its own",
		why: "The demo keeps keys, settings and its workspace in one folder, and reads none of yours. " +
			"What follows is a shell script: save it, change DEMO to a new folder, run it with sh and assent on the PATH, and you get the same.",
	}
	for _, l := range preamble(dir) {
		s.acts = append(s.acts, typed(l))
	}
	s.acts = append(s.acts, file{configRel, gitConfig}, file{homeDir + "/config.yaml", "unattended: true\n"})
	return s
}

func begin() scene {
	return scene{
		title: "Begin a workspace",
		why:   "An ordinary Git repository for two agents, scout and smith. You get a key to sign reviews with; it lies outside the workspace.",
		acts: []act{
			run("assent", "init", workspaceDir, "--agent", "scout", "--agent", "smith").showing("reviewer"),
			enter(workspaceDir),
			note("That key has no passphrase, so it signs for you in a terminal only. Here only the demo's own commands run: its own folder allows more (unattended: true)."),
			run("assent", "keys", "unattended").showing("unattended: on"),
		},
	}
}

// The good proposal of the demo's own.
const (
	ownName  = "summarise-a-thread"
	ownGroup = "writing"
)

func ownSkill() scene {
	const dir = "../drafts/" + ownName
	return scene{
		title: "An agent proposes a skill",
		why:   "Scout wrote a skill. Nobody loads it yet: it becomes a branch and a pull request, is validated, and waits for a person.",
		acts: append([]act{
			file{dir + "/SKILL.md", text(ownName + ".md")},
			run("assent", "propose", dir, "--group", ownGroup, "--agent", "scout").showing("waits for").as("good"),
			note("You approve it. The review is signed with your key, for exactly this content."),
			run("assent", "review", "@good", "approve", "--reason", "read it; short, and no code").showing("signed with"),
			note("Now scout adds a line, which nobody has read. The approval counts no longer, and the proposal does not merge."),
			appended{dir + "/SKILL.md", text(ownName + "-more.md")},
			run("assent", "update", "@good", dir, "--group", ownGroup, "--agent", "scout").showing("waits for"),
			run("assent", "merge", "@good").exit(refused),
			note("You read the line, approve again, and it can be merged."),
		}, approveAndMerge("good", "the new line is fine, too")...),
	}.and(
		note("Now it is in force: agents load it, and scout's SOUL.md lists it as learned."),
		run("assent", "list", "--group", ownGroup).showing(ownName),
		run("git", "grep", "-n", "Capability: "+ownName, "main", "--", "soul/scout/SOUL.md").showing("### Capability: "+ownName),
	)
}

// and adds to a scene.
func (s scene) and(more ...act) scene {
	s.acts = append(s.acts, more...)
	return s
}

// approveAndMerge is a person's approval and merge of a proposal.
func approveAndMerge(name, reason string) []act {
	return []act{
		run("assent", "review", "@"+name, "approve", "--reason", reason).showing("signed with"),
		run("assent", "merge", "@"+name).showing("in force"),
	}
}

// givenSkill plays with the visitor's skill, or with the demo's own after all when
// it cannot pass.
func givenSkill(o *offer) scene {
	own := ownSkill()
	propose := run(append(append([]string{"assent", "propose"}, o.propose...), "--agent", "scout")...).
		exit(ok, findings, refused).as("good")
	return scene{
		title: "An agent proposes your skill",
		why:   "Scout proposes the skill that you named: it becomes a branch and a pull request, is validated, and the gate says what it needs.",
		acts: append(append([]act{}, o.lay...), propose.next(func(exit int) []act {
			if exit != ok {
				return append([]act{note("Your skill does not pass: the lines above say where and why. The demo goes on with its own.")}, own.acts...)
			}
			return append(append([]act{note("You approve it; then it can be merged.")}, approveAndMerge("good", "the visitor brought it and wants it")...),
				note("Now it is in force: agents load it."), run("assent", "list"))
		})),
	}
}

func soulEdit() scene {
	return scene{
		title: "An agent edits its SOUL.md",
		why:   "Replacing a section changes how the agent behaves. That is high risk, and a person must approve it, whoever proposes it.",
		acts: append([]act{
			file{"../drafts/vibe.md", text("vibe.md")},
			run("assent", "soul", "edit", "scout", "--section", "Vibe", "--mode", "replace", "-f", "../drafts/vibe.md",
				"--goal", "say how old sources are", "--agent", "scout").
				showing("waits for").as("vibe"),
		}, approveAndMerge("vibe", "readers asked for it")...),
	}
}

func ownPoison() scene {
	const name = "tidy-an-inbox"
	return scene{
		title: "A poisoned skill",
		why:   "It looks helpful. Line 8 hides a download that is run unseen, line 10 sends your private key away.",
		acts: []act{
			file{"../drafts/" + name + "/SKILL.md", text(name + ".md")},
			run("assent", "propose", "../drafts/"+name, "--agent", "scout").exit(refused).
				showing("skills/"+name+"/SKILL.md:8:", "skills/"+name+"/SKILL.md:10:").as("poison"),
			note("Refused with file and line. No approval helps, because validation comes first:"),
			run("assent", "merge", "@poison").exit(refused),
		},
	}
}

// givenPoison proposes the visitor's content and reports the result, without ever approving it.
func givenPoison(o *offer) scene {
	propose := run(append(append([]string{"assent", "propose"}, o.propose...), "--agent", "scout")...).
		exit(ok, findings, refused).as("poison")
	return scene{
		title: "Your poison",
		why:   "Scout proposes what you brought. Whatever the gate says to it, nobody approves it here.",
		acts: append(append([]act{}, o.lay...), propose.next(func(exit int) []act {
			switch exit {
			case findings:
				return []act{note("Refused before anything was written: the lines above say where and why. There is no proposal to merge.")}
			case refused:
				return []act{
					note("Refused: the lines above say where and why. No approval helps, because validation comes first:"),
					run("assent", "merge", "@poison").exit(refused),
				}
			}
			return []act{
				note("The scanner blocks nothing here. A scan is no approval, though: what it shows goes to the people whom the proposal waits for, and without them it does not merge:"),
				run("assent", "merge", "@poison").exit(refused),
			}
		})),
	}
}

func protected() scene {
	return scene{
		title: "An agent widens its own limits",
		why:   "Core truths, boundaries, safety rules and identity are protected. Scout cannot propose them away.",
		acts: []act{
			file{"../drafts/fewer-limits.md", text("fewer-limits.md")},
			run("assent", "propose", "-f", "../drafts/fewer-limits.md", "--agent", "scout").exit(refused).
				showing("soul/scout/SOUL.md:", "protected section"),
		},
	}
}

func pastTheGate() scene {
	const name = "reply-faster"
	const dir = "skills/" + name
	return scene{
		title: "A commit straight to main",
		why:   "Nothing stops a shell from committing to main. But that commit belongs to no proposal, so it does not come into force.",
		acts: []act{
			file{dir + "/SKILL.md", text(name + ".md")},
			run("git", "add", dir),
			run("git", "commit", "-qm", "Answer mail faster"),
			run("assent", "status").showing("not in force", dir+"/SKILL.md"),
			run("assent", "cat", name).exit(usage).hiding("Answer in two sentences"),
			note("Agents still load what was in force before. Take the commit back, and main is in force again."),
			run("git", "revert", "--no-edit", "HEAD"),
			run("assent", "status").showing("in force: main").hiding("not in force"),
		},
	}
}

// undo takes the good proposal back; after is how to look whether it is gone.
func undo(after line) scene {
	return scene{
		title: "Undo",
		why:   "Smith takes the skill back. That is a proposal, too: it is approved, merged and recorded like any other.",
		acts: append(append([]act{
			run("assent", "undo", "@good", "--agent", "smith").showing("waits for").as("undo"),
		}, approveAndMerge("undo", "not needed after all")...), after),
	}
}

func history() scene {
	return scene{
		title: "History is the audit log",
		why:   "Every merge names its proposal, and git shows it. The last command checks the signatures and reports behind them.",
		acts: []act{
			run("git", "log", "--graph", "--oneline", "main"),
			run("assent", "log"),
			run("assent", "audit", "verify"),
		},
	}
}

// rollback falsifies a copy of the record and shows that this is detected.
func rollback() scene {
	return scene{
		title: "The record is falsified",
		why:   "In a copy, main is set back by one merge, as if the undo had never been. Git takes that for an ordinary state; the audit names the first thing that does not hold.",
		acts: []act{
			run("git", "clone", "-q", "--mirror", ".", "../copy.git"),
			run("git", "-C", "../copy.git", "update-ref", "refs/heads/main", "main~1"),
			run("assent", "-C", "../copy.git", "audit", "verify").exit(refused).showing("the record does not hold"),
		},
	}
}
