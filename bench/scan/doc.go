// Command scan measures the scanner on folders of skills and writes the table in
// docs/checks.md.
//
//	go run ./bench/scan vendor=DIR community=DIR
//	go run ./bench/scan benign:benign=DIR malicious:malicious=DIR     with labels
//	go run ./bench/scan -write docs/checks.md LABEL=DIR...            put the table there
//	go run ./bench/scan -list LABEL=DIR                               each finding, too
//
// A label that ends in ":benign" or ":malicious" says what all skills of the folder
// are; from those recall and false positives are computed. Beside the folders the
// edits below bench/scan/testdata and inputs made to be slow are measured. Nothing of
// a folder is kept, named or copied: the table has the labels and numbers only.
package main
