// Package provenance is the form in which the engine records, whenever content is
// proposed or pushed, where it took the content from: by which way in, from what,
// with which digest, in whose session and by which version of the program.
//
// It decides what the bytes of such a record are and which ways in bring content from
// outside of a workspace. A record is what the program that wrote it saw; whoever can
// write a journal can write another, so that nothing is ever allowed because of one.
// What follows from records is for package gate and policy.
package provenance
