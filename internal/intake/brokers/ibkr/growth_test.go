package ibkr

import (
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
)

func TestGrowth(t *testing.T) { brokertest.CheckGrowth(t, Presets()) } // it measures the process
