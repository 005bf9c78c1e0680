// Package workflow reads workflows/*.yaml with the texts of their tasks, and finds the
// built-in actions that an event starts, in their order.
//
// It decides and never acts: it runs no action, knows no clock and starts nothing. The
// caller supplies the syntax of schedules. Package run carries out the runs of a workflow.
package workflow
