// Package host describes a service that shows pull requests, such as Gitea or GitHub: its
// terms, its answers, one interface. Package hosted builds a forge on it; package hosttest
// is the suite that every service must pass.
//
// It knows nothing about proposals, roles or verdicts, and no service decides anything: only
// commits define the state in force.
package host
