// Package plan reads the plan of an agent: a goal with steps that each name a capability, or the capability
// that is missing and why.
//
// It does not know what is in force; package answers does. Everything in a plan may be hostile. It is only
// read, and no step is carried out.
package plan
