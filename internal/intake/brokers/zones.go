package brokers

// The time zones in which files write their times.
const (
	amsterdam = "Europe/Amsterdam"
	berlin    = "Europe/Berlin"
	chicago   = "America/Chicago"
	kolkata   = "Asia/Kolkata"
	london    = "Europe/London"
	newYork   = "America/New_York"
	rome      = "Europe/Rome"
	saoPaulo  = "America/Sao_Paulo"
	shanghai  = "Asia/Shanghai"
	stockholm = "Europe/Stockholm"
	sydney    = "Australia/Sydney"
	tokyo     = "Asia/Tokyo"
	toronto   = "America/Toronto"
	utc       = "UTC"
	warsaw    = "Europe/Warsaw"
	zurich    = "Europe/Zurich"

	// serverZone is the zone of most MetaTrader servers. Files derived from
	// MetaTrader keep its times.
	serverZone = "Europe/Athens"
)
