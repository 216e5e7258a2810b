//go:build !unix

package main

import "os/exec"

// runAs does nothing: only root calls it, and this system has no such user.
func runAs(*exec.Cmd, uint32) {}
