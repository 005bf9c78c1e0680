// Package host says what is asked of a service that shows pull requests, such as
// Gitea or GitHub: words, answers, one interface. The forge that stands on it is
// package hosted; package hosttest is the suite that every service must pass.
//
// It knows nothing about proposals, roles or verdicts, and no service may decide
// anything: what is in force is read from commits.
package host
