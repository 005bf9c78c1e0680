// Package output prints what commands under several headings show: a proposal, a
// difference, an exchange with a remote, tests and opinions, each as text and as JSON.
package output
