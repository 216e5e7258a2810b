package statement

// targetLabels are the names of the targets for people, as a form that maps
// columns shows them.
var targetLabels = map[Target]string{
	TargetSymbol:         "Symbol",
	TargetSide:           "Side",
	TargetQuantity:       "Quantity",
	TargetPrice:          "Price",
	TargetExecutedAt:     "Date and time",
	TargetDate:           "Date",
	TargetTime:           "Time",
	TargetFees:           "Fees",
	TargetCommission:     "Commission",
	TargetSwap:           "Swap",
	TargetInstrumentType: "Instrument type",
	TargetOptionRight:    "Call or put",
	TargetStrike:         "Strike",
	TargetExpiry:         "Expiry",
	TargetMultiplier:     "Multiplier",
	TargetExternalID:     "Broker's ID",
	TargetCurrency:       "Currency",
	TargetOpenTime:       "Open date and time",
	TargetOpenDate:       "Open date",
	TargetOpenPrice:      "Entry price",
	TargetCloseTime:      "Close date and time",
	TargetCloseDate:      "Close date",
	TargetClosePrice:     "Exit price",
	TargetPnL:            "Gross P&L",
	TargetNetPnL:         "Net P&L",
	TargetTags:           "Tags",
	TargetSetup:          "Setup",
	TargetNotes:          "Notes",
	TargetInitialRisk:    "Initial risk",
	TargetStopPrice:      "Stop price",
	TargetTargetPrice:    "Target price",
	TargetLastStop:       "Last stop",
	TargetStatus:         "Status",
	TargetAccount:        "Account",
	TargetMAE:            "MAE",
	TargetMFE:            "MFE",
	TargetConfidence:     "Confidence",
	TargetEmotionalState: "Emotional state",
	TargetTradeQuality:   "Trade quality",
	TargetReviewedAt:     "Reviewed at",
}

// Label returns the name of the target for people.
func (t Target) Label() string { return targetLabels[t] }
