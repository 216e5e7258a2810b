package columns

// SetBatchSize sets the number of trades that a service reads at a time.
func (s *Service) SetBatchSize(trades int) { s.batchSize = trades }

// CachedBytes returns the size of the cached columns.
func (s *Service) CachedBytes() int { return s.columns.TotalSize() }

// WaitForStore waits until the columns that are being stored are written.
func (s *Service) WaitForStore() { s.store.writing.Wait() }

// SetMinStored sets the number of trades from which on columns are stored.
func (s *Service) SetMinStored(trades int) { s.store.minTrades = trades }
