// Package machine sets up calls of tools for this machine's user: with the account of their
// session, their secrets and packages, and the health of tools recorded here.
//
// It decides nothing about a call. It records the trial of each call that ran, and keeps
// failures so that they can become tests.
package machine
