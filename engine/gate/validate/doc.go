// Package validate checks one change: it examines the difference between two trees and
// needs no answer from a person or a service.
//
// Base is the tree in force, Head the exact tree that main would become. Policies come
// from the base, so a change can never supply the rules that it is judged by; only content
// comes from the head. The result is a Report, with the same bytes for the same inputs.
// Package gate decides from this report and from the reviews whether the change may merge.
package validate
