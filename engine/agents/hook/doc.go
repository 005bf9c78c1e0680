// Package hook reads the events that an agent client sends to its hooks, and writes the answers.
//
// It knows the forms of Claude Code, Codex and Gemini CLI. It decides nothing about a workspace, and an event that
// it does not know has no answer.
package hook
