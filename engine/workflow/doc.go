// Package workflow reads workflows/*.yaml and says which built-in actions an
// event calls for, and in which order.
//
// It decides and never acts: it runs no action, knows no clock and starts
// nothing on its own. Which actions exist, and what a schedule may look like,
// are told to it by the shell that carries them out.
package workflow
