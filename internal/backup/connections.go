package backup

import (
	"fillbook/internal/base/journal"
	"fillbook/internal/intake/connections"
	"fillbook/internal/trading/ledger"
)

// Connection is a broker connection without its key: a key is sealed with the
// installation's secret, and others may read a backup.
type Connection struct {
	Provider  string      `json:"provider"`
	Name      string      `json:"name"`
	Schedule  string      `json:"schedule"`
	Since     journal.Day `json:"since,omitzero"`
	CreatedAt Instant     `json:"created_at,omitzero"`
}

func (e *exporter) writeConnections(a ledger.Account) error {
	stored, err := connections.ListOfAccount(e.ctx, e.tx, e.owner, a.ID)
	if err != nil {
		return err
	}
	return writeList(e, "connections", stored, func(c connections.Connection) Connection {
		return Connection{Provider: c.Provider, Name: c.Name, Schedule: string(c.Schedule), Since: c.Since, CreatedAt: Instant{c.CreatedAt}}
	})
}

// restoreConnections adds an account's missing connections. They run only after the user
// enters their key again.
func (r *ledgerRestorer) restoreConnections(b *restoredBundle) error {
	list := make([]connections.Connection, len(b.Connections))
	for i, c := range b.Connections {
		list[i] = connections.Connection{
			Provider: c.Provider, Name: c.Name, Schedule: connections.Schedule(c.Schedule), Since: c.Since, CreatedAt: c.CreatedAt.instantOr(r.now),
		}
	}
	added, refusals, err := connections.Restore(r.ctx, r.tx, r.Owner, b.target.account.ID, list)
	r.result.Connections += added
	if err != nil {
		return err
	}
	return r.acceptAll("Connection", nil, refusals)
}
