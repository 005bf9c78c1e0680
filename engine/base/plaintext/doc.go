// Package plaintext reverts disguises that hide words from a search but not from a model:
// invisible characters, blanks other than ASCII ones, accents on Latin letters, and letters
// that look Latin.
//
// A form is for matching phrases, never for showing or storing: it is one possible reading of a
// text. Original maps its offsets to the original text. The package decides nothing.
package plaintext
