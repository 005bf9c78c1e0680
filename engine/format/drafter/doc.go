// Package drafter defines the question to a drafter, which fills in the template of a
// tool or a server, and checks its answer.
//
// Package fill sends the question and runs the code. A drafter gets the files of one
// capability as data and answers with files for the same folder. Whatever its input makes
// it do, it cannot gain access beyond the template: a draft is refused as a whole if it
// declares another host, secret, program, capability, permission or limit, adds packages,
// changes a test case or leaves the folder. The diagnostics report what it tried.
package drafter
