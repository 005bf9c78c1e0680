// Package machine sets up calls of tools as this machine's user has them: with their account of
// what a session used up, their secrets and packages, and what is known here of a tool's health.
//
// It decides nothing about a call, records the trial of each call that ran, and keeps what
// failed so that it can become a test.
package machine
