package sharing

// HoldViews keeps views from being written, as a flush of another goroutine does, until
// the returned function is called.
func (s *Service) HoldViews() (release func()) {
	s.views.turn <- struct{}{}
	return func() { <-s.views.turn }
}
