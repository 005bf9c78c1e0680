// Package provenance defines the engine's record of where proposed or pushed content came
// from: the way in, the source, its digest, the session, and the version of the program.
//
// It decides the bytes of a record, and which ways in bring content from outside of a
// workspace. A record may be forged by anyone who can write the journal, so nothing is
// ever allowed because of one. Packages gate and policy decide the consequences.
package provenance
