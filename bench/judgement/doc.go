// Command judgement measures how well find answers: what share of questions has its right
// answers among the first. It is no test, and reads sets that are not in the repository.
//
//	go run ./bench/judgement -data DIR -skills DIR,DIR -sealed
//
// It also judges find after past missions, as which a part of the open questions serve.
//
// Three of ten questions, chosen by the digest of their text, are sealed: the ranking was made by
// the others, and -sealed judges it by these.
package main
