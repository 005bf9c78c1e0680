// Package genesis begins a workspace: the first commit of its record on main, made of a template
// and of the identity of the person who begins it.
//
// It never overwrites a file: existing files stay, and additions are shown before they are made.
package genesis
