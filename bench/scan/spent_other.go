//go:build !unix

package main

import "time"

// spent is the clock: what the process itself had is not known here.
func spent() time.Duration { return time.Duration(time.Now().UnixNano()) }
