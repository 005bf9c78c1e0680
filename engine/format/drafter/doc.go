// Package drafter is what a drafter is asked, who fills in the template of a tool or a
// server, and what of its answer is refused.
//
// It asks nobody and runs nothing; package fill does both. A drafter gets the files of one
// capability as data and answers with files of the same folder. Whatever it was told, it
// cannot reach more than the template declares: a draft that declares another host, secret,
// program, capability, permission or limit, that brings packages, that changes a test case
// or that leaves the folder is refused as a whole, and what it tried is said.
package drafter
