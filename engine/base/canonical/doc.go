// Package canonical defines the one form in which a record is written, signed and read: JSON
// with the fields in the order of their struct and no optional escapes.
//
// It refuses input that differs from its own encoding in any byte: repeated or unknown fields,
// another spelling, trailing data. So one record has one signature and one digest. Nonces,
// instants and phrases have one form in all records. All other rules belong to the package that
// owns the record.
package canonical
