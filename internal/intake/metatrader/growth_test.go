package metatrader

import (
	"testing"

	"fillbook/internal/intake/brokers/brokertest"
)

func TestGrowth(t *testing.T) { brokertest.CheckGrowth(t, Presets()) } //nolint:paralleltest // it measures the process
