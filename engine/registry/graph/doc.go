// Package graph derives the memory graph of a workspace: which agent knows, may use, practised and
// validated which capability, what executed it, how it failed, and what it needs. It also answers
// questions about the graph and writes it as Cypher, DOT and Mermaid.
//
// Nothing is stored: the graph is a function of its Source, and the order of the Source's lists
// changes no byte of it. Texts of others are data in every form that is written
// (FuzzCypher, FuzzMermaid).
package graph
