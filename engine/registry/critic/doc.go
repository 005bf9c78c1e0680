// Package critic judges how capabilities did in a finished mission or an executed plan: by rules, from
// the record alone, or by the answer of a program that was asked.
//
// It records nothing. Everything that it reads may be hostile; texts of an answer are data.
package critic
