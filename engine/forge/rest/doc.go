// Package rest has what clients of REST APIs share: answers of bounded size and time, lists
// read page by page, waits that a context ends, and texts cut to a service's limits.
//
// It knows no service, and decides nothing about repeating a request.
package rest
