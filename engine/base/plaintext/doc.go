// Package plaintext undoes what keeps a search from words that a model still reads:
// invisible characters, blanks other than the ASCII one, accents put on Latin letters,
// and letters that only look Latin.
//
// A form is for matching phrases, never for showing or storing: it says what a text may
// be read as, and Original leads back to its place. It decides nothing.
package plaintext
