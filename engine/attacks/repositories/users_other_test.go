//go:build !unix

package repositories_test

func (p *place) readOnly() { p.Skip("needs the users and modes of Unix") }
