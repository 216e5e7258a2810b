package brokers

import (
	"testing"

	"fillbook/internal/imports/brokers/brokertest"
)

func TestGrowth(t *testing.T) { brokertest.CheckGrowth(t, tables()) } //nolint:paralleltest // it measures the process
