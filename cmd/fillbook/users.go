package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"fillbook/internal/base/secrets"
	"fillbook/internal/people/identity"
)

type createUserCommand struct {
	Email string `required:"" placeholder:"EMAIL" help:"The user's email address."`
	Owner bool   `help:"Make the user an owner. The first user is always an owner."`
}

// Run creates the user.
func (c createUserCommand) Run(env *environment, s *settings) error {
	return s.withIdentity(env, func(people *identity.Service) error {
		password, err := readPassword(env)
		if err != nil {
			return err
		}
		created, err := people.CreateUserByOperator(env.ctx, c.Email, password, c.Owner)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.stdout, "created %s\n", created.Email)
		return err
	})
}

type resetPasswordCommand struct {
	Email string `required:"" placeholder:"EMAIL" help:"The user's email address."`
}

// Run sets the password and ends the user's sessions.
func (c resetPasswordCommand) Run(env *environment, s *settings) error {
	return s.withIdentity(env, func(people *identity.Service) error {
		password, err := readPassword(env)
		if err != nil {
			return err
		}
		if err := people.ResetPasswordByEmail(env.ctx, c.Email, password); err != nil {
			return err
		}
		_, err = fmt.Fprintf(env.stdout, "set the password of %s and ended every session of the user\n", c.Email)
		return err
	})
}

type disableTOTPCommand struct {
	Email string `required:"" placeholder:"EMAIL" help:"The user's email address."`
}

// Run turns off the second factor. It works while the server runs.
func (c disableTOTPCommand) Run(env *environment, s *settings) error {
	return s.withIdentity(env, func(people *identity.Service) error {
		if err := people.DisableTOTPByEmail(env.ctx, c.Email); err != nil {
			return err
		}
		_, err := fmt.Fprintf(env.stdout, "turned off the second factor of %s\n", c.Email)
		return err
	})
}

// readPassword reads a password from the terminal without showing it, or a line from a
// pipe. It is not an argument, because the machine's other users can see those.
func readPassword(env *environment) (secrets.Secret, error) {
	if file, ok := env.stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprint(env.stderr, "Password: ")
		typed, err := term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(env.stderr)
		return secrets.Secret(typed), err
	}
	line, err := bufio.NewReader(env.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", errors.New("no password: run this in a terminal, or pass the password on standard input")
	}
	return secrets.Secret(line), nil
}
