// Package mcpclient speaks the Model Context Protocol with a server over two pipes:
// it says who it is, lists the methods that the server calls its tools, and calls one.
//
// It starts no process and knows no address. It answers nothing that a server asks
// of its client: no sampling, no roots, no elicitation. How long it takes is up to the
// context; what it keeps of a server's words is bounded.
package mcpclient
