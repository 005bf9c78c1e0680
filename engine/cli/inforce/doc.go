// Package inforce has the commands about the content in force: list, find, inspect, cat, run-tool,
// stop, health, log, audit and soul.
package inforce
