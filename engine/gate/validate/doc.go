// Package validate checks one change: everything that can be said about the
// difference between two trees without asking anybody.
//
// Base is what is in force, Head the exact tree that main would become. Policies
// come from the base, so that a change can never supply the rules that it is
// judged by; only content comes from the head. The result is a Report, the same
// bytes for the same inputs. Whether the change may merge is decided elsewhere
// (package gate), from this report and from who said what.
package validate
