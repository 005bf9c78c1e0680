// Package you has the commands about you and your tools: whoami, keys, roles, schema and
// version.
package you
