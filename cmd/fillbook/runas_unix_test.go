//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// runAs makes a command run as another user.
func runAs(command *exec.Cmd, user uint32) {
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
}
