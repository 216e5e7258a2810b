package figures

// SetBatchSize makes a service read so many trades at a time.
func (s *Service) SetBatchSize(trades int) { s.batchSize = trades }

// CachedBytes is how much memory the kept columns take.
func (s *Service) CachedBytes() int {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	total := 0
	for _, p := range s.cache.entries {
		if h := p.get(); h != nil {
			total += h.bytes()
		}
	}
	return total
}
