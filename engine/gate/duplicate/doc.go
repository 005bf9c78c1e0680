// Package duplicate tells whether two capabilities say the same: identical but for
// the name, the same text under another name, or the same in other words.
//
// It compares what it is handed, word by word, and knows no language: it never
// judges whether two texts mean the same, and it never decides what follows. That
// is package validate's.
package duplicate
