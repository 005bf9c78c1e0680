// Package canonical gives a record the one form in which it is written, signed and
// read: JSON with the fields in the order of their struct and no optional escapes.
//
// What it reads is refused unless it is byte for byte what writing it again gives:
// no repeated or unknown fields, no other spelling, nothing behind it. So one
// record has one signature and one digest. Nonces, instants and phrases have one form in
// all records. What else a record may say is for the package that owns it.
package canonical
