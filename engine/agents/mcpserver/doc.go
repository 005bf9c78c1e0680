// Package mcpserver speaks the Model Context Protocol with one agent client over a pair of
// streams: six tools, the skills in force as resources, and the Skills extension
// (SEP-2640).
//
// It translates between the protocol and package toolset, and decides nothing. An error in
// one request never ends the session.
package mcpserver
