package figures

// ReadAtOnce makes a service read so many trades at a time.
func (s *Service) ReadAtOnce(trades int) { s.atOnce = trades }
