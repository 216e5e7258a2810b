// Package credentials keeps users' credentials for other servers. They are checked
// against a provider's fields and stored sealed, in the row using them.
package credentials

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"fillbook/internal/base/db"
	"fillbook/internal/base/journal"
	"fillbook/internal/base/remote"
	"fillbook/internal/base/secrets"
)

// Parse returns the credentials a provider needs, or the reason why some are missing,
// unknown or invalid.
func Parse(title string, fields []remote.Field, given map[string]string) (map[string]string, error) {
	for name := range given {
		if !slices.ContainsFunc(fields, func(f remote.Field) bool { return f.Name == name }) {
			return nil, journal.InvalidField("credentials."+name, "%s has no field %s.", title, name)
		}
	}
	clean := map[string]string{}
	for _, f := range fields {
		value, err := f.Parse(given[f.Name])
		name := "credentials." + f.Name
		switch {
		case err == nil:
			clean[f.Name] = value
		case strings.TrimSpace(given[f.Name]) == "":
			return nil, journal.InvalidField(name, "Enter the %s of %s.", f.Title, title)
		case len(f.Choices) > 0:
			return nil, journal.InvalidField(name, "%s must be %s.", f.Name, strings.Join(f.Values(), " or "))
		default:
			return nil, journal.InvalidField(name, "The %s is not one of %s. Copy it again.", f.Title, title)
		}
	}
	return clean, nil
}

// AreNeeded reports whether a provider answers only with credentials.
func AreNeeded(fields []remote.Field) bool {
	return slices.ContainsFunc(fields, func(f remote.Field) bool { return len(f.Choices) == 0 && !f.IsOptional })
}

// Store stores credentials in a table with the columns user_id, id and credentials.
type Store struct {
	Table string
	// Label is the sealing key's label.
	Label string
}

// Put replaces a record's credentials. It is a step.
func (s Store) Put(ctx context.Context, tx *db.Tx, keys *secrets.Keys, owner journal.UserID, id string, values map[string]string) error {
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	sealed, err := keys.Seal(s.Label, id, text)
	if err != nil {
		return err
	}
	return s.putSealed(ctx, tx, owner, id, sealed)
}

func (s Store) putSealed(ctx context.Context, tx *db.Tx, owner journal.UserID, id string, sealed []byte) error {
	_, err := tx.Exec(ctx, `UPDATE `+s.Table+` SET credentials = $1 WHERE user_id = $2 AND id = $3`, sealed, owner, id)
	return err
}

// Load returns a record's credentials. They are nil if there are none, or if they were
// sealed by an installation with another secret: they must be entered again. It is a
// step.
func (s Store) Load(ctx context.Context, tx *db.Tx, keys *secrets.Keys, owner journal.UserID, id string) (values map[string]string, err error) {
	var sealed []byte
	err = tx.QueryRow(ctx, `SELECT credentials FROM `+s.Table+` WHERE user_id = $1 AND id = $2`, owner, id).Scan(&sealed)
	if err != nil || len(sealed) == 0 {
		return nil, err
	}
	text, err := keys.Open(s.Label, id, sealed)
	if errors.Is(err, secrets.ErrSealed) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &values)
	return values, err
}

// Has reports whether a record has credentials. It is a step.
func (s Store) Has(ctx context.Context, tx *db.Tx, owner journal.UserID, id string) (has bool, err error) {
	err = tx.QueryRow(ctx, `SELECT credentials IS NOT NULL FROM `+s.Table+` WHERE user_id = $1 AND id = $2`, owner, id).Scan(&has)
	return has, err
}

// Rotate seals all credentials with a new secret. It is a step.
func (s Store) Rotate(ctx context.Context, tx *db.Tx, from, to *secrets.Keys) error {
	type row struct {
		owner  journal.UserID
		id     string
		sealed []byte
	}
	rows, err := db.List(ctx, tx, func(scan db.Scanner) (r row, err error) {
		err = scan.Scan(&r.owner, &r.id, &r.sealed)
		return r, err
	}, `SELECT user_id, id, credentials FROM `+s.Table+` WHERE credentials IS NOT NULL ORDER BY user_id, id`)
	if err != nil {
		return err
	}
	for _, r := range rows {
		sealed, err := secrets.Reseal(from, to, s.Label, r.id, r.sealed)
		if err != nil {
			return fmt.Errorf("resealing the credentials of %s in %s: %w", r.id, s.Table, err)
		}
		if err := s.putSealed(ctx, tx, r.owner, r.id, sealed); err != nil {
			return err
		}
	}
	return nil
}
