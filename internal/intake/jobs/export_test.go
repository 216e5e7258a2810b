package jobs

import "time"

// NeverPoll makes a queue look for jobs only when it is woken.
func (q *Queue) NeverPoll() { q.pollTime = 1000 * time.Hour }
