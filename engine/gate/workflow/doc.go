// Package workflow reads workflows/*.yaml with the texts of their tasks, and says
// which built-in actions an event calls for, and in which order.
//
// It decides and never acts: it runs no action, knows no clock and starts nothing on
// its own. What a schedule may look like is told to it by the shell. What becomes of a
// run of a workflow is for package run.
package workflow
