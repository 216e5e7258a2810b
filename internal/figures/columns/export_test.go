package columns

// SetBatchSize sets how many trades a service reads at a time.
func (s *Service) SetBatchSize(trades int) { s.batchSize = trades }

// CachedBytes returns the cached columns' size.
func (s *Service) CachedBytes() int { return s.columns.TotalSize() }

// WaitForStore waits until all columns are written.
func (s *Service) WaitForStore() { s.store.writing.Wait() }

// SetMinStored sets the trade count from which on columns are stored, at once.
func (s *Service) SetMinStored(trades int) { s.store.minTrades, s.store.delay = trades, 0 }

// SetRuleGap sets how many trades a part of a judgement has.
func (s *Service) SetRuleGap(trades int) { s.ruleGap = trades }
