// Package measure takes the time of two things in turns, so that both meet the same
// noise, and of whole programs with the memory that they took.
package measure
