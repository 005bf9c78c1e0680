// Package duplicate compares two capabilities: identical but for the name, the same text
// under another name, or the same in other words.
//
// It compares its arguments word by word and knows no language: it does not judge whether
// two texts mean the same. Package validate decides what follows.
package duplicate
