package barimport

import "time"

// SetReadTime changes how long reading a file may take.
func (s *Service) SetReadTime(limit time.Duration) { s.readTime = limit }

// SetCommitTime changes how long an import may take.
func (s *Service) SetCommitTime(limit time.Duration) { s.commitTime = limit }
