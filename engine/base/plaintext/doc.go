// Package plaintext reverts disguises that hide words from a search but not from a model:
// invisible characters, blanks other than ASCII ones, accents on Latin letters, letters that
// look Latin, letters set apart, and words that a hyphen divides at the end of a line.
//
// A form is for matching phrases, never for showing or storing: it is one possible reading of a
// text. Original maps its offsets to the original text. The package decides nothing.
package plaintext
