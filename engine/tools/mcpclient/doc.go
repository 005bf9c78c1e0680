// Package mcpclient speaks the Model Context Protocol with a server over two pipes: it
// introduces itself, lists the server's tools, which are called methods here, and calls one.
//
// It starts no process and knows no address: a server elsewhere is behind two pipes, too. It refuses all requests of a server to its client:
// no sampling, no roots, no elicitation. The context bounds its time; the text kept of a server
// is bounded.
package mcpclient
