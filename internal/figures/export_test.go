package figures

// SetBatchSize sets the number of trades that a service reads at a time.
func (s *Service) SetBatchSize(trades int) { s.batchSize = trades }

// CachedBytes returns the size of the cached columns.
func (s *Service) CachedBytes() int { return s.columns.totalSize() }
