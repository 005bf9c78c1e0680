// Package linker answers what a mission needs from what is in force here: it searches each step
// (package discover), adds what trials say of the answers, and has package link choose.
package linker
