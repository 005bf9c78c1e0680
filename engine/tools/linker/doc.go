// Package linker finds the capabilities in force that a mission needs: it searches each step
// (package discover), adds the results of trials, and has package link choose.
package linker
