package imports

import "time"

// SetReadTime changes how long reading one file may take.
func (s *Service) SetReadTime(limit time.Duration) { s.readTime = limit }
