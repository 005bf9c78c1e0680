// Package genesis begins a workspace: the commit on main with which its record
// starts, made of a template and of whom the person who starts it is.
//
// It never overwrites a file: what is there stays, and what it would add is said
// before it is added.
package genesis
