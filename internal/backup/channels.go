package backup

import (
	"slices"

	"fillbook/internal/intake/channels"
)

// Channel is a channel without its address and keys: they are sealed with the
// installation's secret, and others may read a backup.
type Channel struct {
	Kind        channels.Kind        `json:"kind"`
	Name        string               `json:"name"`
	Events      []channels.EventType `json:"events,omitempty"`
	Accounts    []int                `json:"accounts,omitempty"`
	WithFigures bool                 `json:"with_figures,omitzero"`
	Amounts     bool                 `json:"amounts,omitzero"`
	Host        string               `json:"host"`
	CreatedAt   Instant              `json:"created_at,omitzero"`
}

func (e *exporter) writeChannels() error {
	list, err := channels.ListStored(e.ctx, e.tx, e.owner)
	if err != nil {
		return err
	}
	return writeList(e, "channels", list, func(c channels.Channel) Channel {
		return Channel{
			Kind: c.Kind, Name: c.Name, Events: c.Events, Accounts: e.accountPlaces(c.Accounts), WithFigures: c.WithFigures, Amounts: c.Amounts,
			Host: c.Host, CreatedAt: Instant{c.CreatedAt},
		}
	})
}

// restoreChannels adds the missing channels, switched off.
func (r *playbookRestorer) restoreChannels() error {
	list, places, err := convertRows(r.restorer, "Channel", slices.All(r.Document.Channels), func(in Channel) (out channels.Channel, err error) {
		out = channels.Channel{
			Kind: in.Kind, Name: in.Name, Events: in.Events, WithFigures: in.WithFigures, Amounts: in.Amounts, Host: in.Host,
			CreatedAt: in.CreatedAt.instantOr(r.now),
		}
		out.Accounts, err = r.accountsAt(in.Accounts)
		return out, err
	})
	if err != nil {
		return err
	}
	added, refusals, err := channels.Restore(r.ctx, r.tx, r.Owner, list)
	if err != nil {
		return err
	}
	r.result.Channels = added
	return r.acceptAll("Channel", places, refusals)
}
