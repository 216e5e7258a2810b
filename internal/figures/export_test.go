package figures

// ReadAtOnce makes a service read so many trades at a time.
func (s *Service) ReadAtOnce(trades int) { s.atOnce = trades }

// Bytes is how much memory the kept columns take.
func (s *Service) Bytes() int {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	total := 0
	for _, p := range s.cache.places {
		if h := p.get(); h != nil {
			total += h.bytes()
		}
	}
	return total
}
