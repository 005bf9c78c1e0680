package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// coverTracksRule: the text destroys what people have, or the record of what was done.
func coverTracksRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"cover-tracks", Instructions, diag.Warning, "the text has its reader destroy data or the record of what was done",
		"What is gone cannot be examined; records are removed by those who fear them, and data is held to ransom by those who lock it.",
		"Keep histories and logs; delete only what the task itself made."},
		patterns: []pattern{{
			near: []string{"history", "audit log", "audit trail", "traces", "evidence", "log files", "the logs", "from the log", "its logs", "old logs", "log entries", "log entry", "this file after", "this comment", "this line", "this instruction", "these instructions"},
			re:   said(`\b(?:delete|clear|remove|erase|shorten|wipe|truncate|scrub|destroy|purge|empty)\b[^.]{0,60}?\b(?:(?:shell|bash|zsh|command|terminal|browser|chat)(?:['’]s)? history|audit (?:logs?|trail)|(?:all |any |your )traces|evidence|log files|log entr(?:y|ies)|(?:from|in) the (?:\w+ )?logs?|(?:the|its|their|all|old) (?:old )?logs|this (?:comment|line|instruction|file after)|these (?:instructions|lines))\b`),
			in:   prose | plain | hidden | data, severity: diag.Note, confidence: 0.4, judge: judgeTracks,
		}, {
			near: []string{"all tables", "all files", "all pictures", "all documents", "all photos", "all backups", "all data", "every file", "every table", "the database", "all repositories", "all branches", "everything", "whole folder", "entire folder", "older dumps", "all older", "duplicates are deleted", "all resources", "all records", "rm -rf ~", "rm -rf /", "be removed", "be deleted", "be overwritten", "be dropped"},
			re:   said(`\b(?:delete|drop|wipe|erase|encrypt|destroy|overwrite|remove|lock)s? (?:\w+ ){0,2}?(?:all|every(?:thing)?|the (?:whole|entire|live|production)|entire|whole) (?:\w+ ){0,3}?(?:tables?|files?|pictures|documents|photos|backups?|data(?:base)?s?|repositor(?:y|ies)|branches|folders?|dumps?|records|resources|home|disk)\b|\b(?:originals?|sources?|backups?|copies|(?:old|older|previous) \w+) (?:can|may|should|must|are|are to) (?:safely )?be (?:removed|deleted|overwritten|dropped)\b|\bdeleted without\b|\brm -rf (?:~|/)(?:\S*)`),
			in:   prose | plain | hidden, severity: diag.Note, confidence: 0.4, judge: judgeDestroy,
		}}}
}

func judgeTracks(d *document, m *match) bool {
	s := speechAt(d, m)
	lower := strings.ToLower(d.text[m.start:m.end])
	switch {
	case s.concealed:
		m.severity, m.confidence = diag.Warning, 0.6
	case s.quoted, s.example, strings.HasPrefix(lower, "clear") && strings.HasSuffix(lower, "evidence"), d.forbidden(m.start):
		return false
	case containsAny(lower, "history", "audit", "traces", "evidence") && !containsAny(lower, "chat history", "browser history") && !s.discussed:
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}

// judgeDestroy raises what is done behind somebody's back or for ransom.
func judgeDestroy(d *document, m *match) bool {
	s := speechAt(d, m)
	within := d.sentenceSpan(m.start)
	text := strings.ToLower(d.text[within.start:within.end])
	switch {
	case s.quoted, s.example, !s.concealed && d.forbidden(m.start):
		return false
	case s.concealed, containsAny(text, "without telling", "ransom", "payment", "random key", "live database", "~/documents", "bitcoin"):
		m.severity, m.confidence = diag.Warning, 0.6
	}
	return true
}
