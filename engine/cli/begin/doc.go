// Package begin has the commands to begin with: init, new, clone, demo and doctor.
package begin
